/** A deployed stage: requests to it, its tables, and a one-shot schedule of its group. */
import { randomUUID } from 'node:crypto';
import { connect, type SecureVersion } from 'node:tls';
import { CreateScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { ConnectedGateway } from '../../bin/admin/gateway-connection.ts';
import { stackResources } from '../../shared/admin/stack-resources.cloudformation.ts';
import { tableShapes } from '../../shared/contract/tables.ts';
import { dynamo } from '../../shared/platform/aws/clients.ts';
import { checkTables } from './table-settings.ts';

const timeLimitMs = 60_000;

export type AwsStage = Awaited<ReturnType<typeof awsStage>>;

/** @param apiKey - a test key */
export async function awsStage({ baseUrl, stackName, tables }: ConnectedGateway, apiKey: string) {
  const resources = await stackResources(stackName);
  return {
    baseUrl,
    resourceTypes: new Set(resources.map(({ type }) => type)),
    request: (method: string, path: string, init: RequestInit = {}): Promise<Response> =>
      fetch(`${baseUrl}${path}`, {
        method,
        ...init,
        headers: { Authorization: `Bearer ${apiKey}`, ...init.headers },
        signal: AbortSignal.timeout(timeLimitMs),
      }),
    acceptsTls: (version: SecureVersion) => acceptsTls(baseUrl, version),
    tableFaults: () => checkTables(dynamo(), tables, tableShapes),
    fireSchedule: (at: Date, waitSeconds: number) => fireSchedule(resources, at, waitSeconds),
  };
}

/** True if the server completes a handshake of this version. */
export function acceptsTls(baseUrl: string, version: SecureVersion): Promise<boolean> {
  const { hostname, port } = new URL(baseUrl);
  const options = {
    host: hostname,
    servername: hostname,
    port: port === '' ? 443 : Number(port),
    minVersion: version,
    maxVersion: version,
    // OpenSSL offers the old versions only at this level.
    ciphers: 'DEFAULT@SECLEVEL=0',
    // Every other request checks the certificate.
    rejectUnauthorized: false,
    timeout: 10_000,
  };
  return new Promise((resolve) => {
    const socket = connect(options, () => end(true));
    const end = (accepted: boolean): void => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

const longPollSeconds = 20;

/**
 * Makes a one-shot schedule with the stage's group and role, to a queue of its own, and deletes the queue. The schedule deletes
 * itself.
 *
 * @returns when Scheduler sent; undefined if it had not at the end of the wait
 */
async function fireSchedule(
  resources: Awaited<ReturnType<typeof stackResources>>,
  at: Date,
  waitSeconds: number,
): Promise<Date | undefined> {
  const group = resources.find(({ type }) => type === 'AWS::Scheduler::ScheduleGroup')?.physicalId;
  const role = resources.find(
    ({ type, logicalId }) => type === 'AWS::IAM::Role' && logicalId.startsWith('SchedulesRole'),
  )?.physicalId;
  if (group === undefined || role === undefined)
    throw new Error('the stack has no schedule group, or no role for it');
  const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  const name = `check-${randomUUID()}`;
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  try {
    const { Attributes: { QueueArn = '' } = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    );
    const [, partition, , , account] = QueueArn.split(':');
    const RoleArn = `arn:${partition}:iam::${account}:role/${role}`;
    // The schedules' role may send to the stage's own queues only, so this queue's policy permits it here.
    const sends = {
      Effect: 'Allow',
      Principal: { AWS: RoleArn },
      Action: 'sqs:SendMessage',
      Resource: QueueArn,
    };
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [sends] });
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
    await new SchedulerClient({}).send(
      new CreateScheduleCommand({
        GroupName: group,
        Name: name,
        ScheduleExpression: `at(${at.toISOString().slice(0, 19)})`,
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: { Arn: QueueArn, RoleArn, Input: '{}' },
      }),
    );
    const until = Date.now() + waitSeconds * 1000;
    while (Date.now() < until) {
      const { Messages: [message] = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          WaitTimeSeconds: longPollSeconds,
          MessageSystemAttributeNames: ['SentTimestamp'],
        }),
      );
      if (message !== undefined) return new Date(Number(message.Attributes?.SentTimestamp));
    }
    return undefined;
  } finally {
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));
  }
}
