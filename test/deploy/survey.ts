/** What there is of a stack: what CloudFormation says, and what the services themselves say. */
import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateListStackResources,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, paginateDescribeLogGroups } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, paginateListTables } from '@aws-sdk/client-dynamodb';
import { IAMClient, paginateListRoles } from '@aws-sdk/client-iam';
import { DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { paginateListScheduleGroups, SchedulerClient } from '@aws-sdk/client-scheduler';
import { paginateListSecrets, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { paginateListQueues, SQSClient } from '@aws-sdk/client-sqs';
import { emulatorAccess } from '../../lib/local/emulator.ts';

export interface StackResource {
  readonly type: string;
  readonly id: string;
}

export interface Survey {
  stackStatus(stackName: string): Promise<string>;
  resources(stackName: string): Promise<StackResource[]>;
  /** The hash of each function's code, by the name of its logical resource. */
  codeOf(stackName: string): Promise<ReadonlyMap<string, string>>;
  /** The resources of the wanted types that still exist; of log groups, those made before that time. */
  standing(resources: readonly StackResource[], madeBefore?: Date): Promise<StackResource[]>;
}

export function surveyOf(endpoint: string, region: string = emulatorAccess.region): Survey {
  const { accessKeyId, secretAccessKey } = emulatorAccess;
  const config = { endpoint, region, credentials: { accessKeyId, secretAccessKey } };
  const cloudFormation = new CloudFormationClient(config);
  const dynamo = new DynamoDBClient(config);
  const lambda = new LambdaClient(config);
  const sqs = new SQSClient(config);
  const secrets = new SecretsManagerClient(config);
  const logs = new CloudWatchLogsClient(config);
  const iam = new IAMClient(config);
  const kms = new KMSClient(config);
  const scheduler = new SchedulerClient(config);

  async function resources(stackName: string): Promise<StackResource[]> {
    const found: StackResource[] = [];
    for await (const page of paginateListStackResources(
      { client: cloudFormation },
      { StackName: stackName },
    )) {
      for (const { ResourceType = '', PhysicalResourceId = '' } of page.StackResourceSummaries ?? [])
        found.push({ type: ResourceType, id: PhysicalResourceId });
    }
    return found;
  }

  /** By type: the physical ids of what there is. */
  const lists: Readonly<Record<string, (madeBefore?: Date) => Promise<Set<string>>>> = {
    'AWS::DynamoDB::Table': () =>
      namesOf(paginateListTables({ client: dynamo }, {}), ({ TableNames = [] }) => TableNames),
    'AWS::Lambda::Function': () =>
      namesOf(paginateListFunctions({ client: lambda }, {}), ({ Functions = [] }) =>
        Functions.map(({ FunctionName }) => FunctionName),
      ),
    'AWS::SQS::Queue': () =>
      namesOf(paginateListQueues({ client: sqs }, {}), ({ QueueUrls = [] }) => QueueUrls),
    'AWS::SecretsManager::Secret': () =>
      namesOf(paginateListSecrets({ client: secrets }, {}), ({ SecretList = [] }) =>
        // CloudFormation has the ARN on AWS, and the name on the emulator.
        SecretList.flatMap(({ ARN, Name }) => [ARN, Name]),
      ),
    'AWS::Logs::LogGroup': (madeBefore?: Date) =>
      namesOf(paginateDescribeLogGroups({ client: logs }, {}), ({ logGroups = [] }) =>
        logGroups
          .filter(({ creationTime = 0 }) => madeBefore === undefined || creationTime < madeBefore.getTime())
          .map(({ logGroupName }) => logGroupName),
      ),
    'AWS::Scheduler::ScheduleGroup': () =>
      namesOf(paginateListScheduleGroups({ client: scheduler }, {}), ({ ScheduleGroups = [] }) =>
        ScheduleGroups.map(({ Name }) => Name),
      ),
    'AWS::IAM::Role': () =>
      namesOf(paginateListRoles({ client: iam }, {}), ({ Roles = [] }) =>
        Roles.map(({ RoleName }) => RoleName),
      ),
  };

  return {
    resources,
    async stackStatus(stackName) {
      try {
        const { Stacks = [] } = await cloudFormation.send(
          new DescribeStacksCommand({ StackName: stackName }),
        );
        return Stacks[0]?.StackStatus ?? 'gone';
      } catch (error) {
        if (error instanceof Error && error.message.includes('does not exist')) return 'gone';
        throw error;
      }
    },
    async codeOf(stackName) {
      const ours = new Set((await resources(stackName)).map(({ id }) => id));
      const code = new Map<string, string>();
      for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
        for (const { FunctionName = '', CodeSha256 = '' } of Functions)
          if (ours.has(FunctionName)) code.set(FunctionName, CodeSha256);
      }
      return code;
    },
    async standing(wanted, madeBefore) {
      const found: StackResource[] = [];
      for (const [type, list] of Object.entries(lists)) {
        const names = await list(madeBefore);
        found.push(...wanted.filter((resource) => resource.type === type && names.has(resource.id)));
      }
      for (const key of wanted.filter(({ type }) => type === 'AWS::KMS::Key')) {
        const { KeyMetadata } = await kms.send(new DescribeKeyCommand({ KeyId: key.id }));
        if (KeyMetadata?.KeyState === 'Enabled') found.push(key);
      }
      return found;
    },
  };
}

async function namesOf<Page>(
  pages: AsyncIterable<Page>,
  names: (page: Page) => readonly (string | undefined)[],
): Promise<Set<string>> {
  const all = new Set<string>();
  for await (const page of pages) for (const name of names(page)) if (name !== undefined) all.add(name);
  return all;
}
