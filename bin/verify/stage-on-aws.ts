/** The parts of a deployed stage on AWS: its resources, its tables, a schedule of its group, an alarm of its own. */
import { randomUUID } from 'node:crypto';
import { CreateScheduleCommand, DeleteScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { checkTables } from '../../shared/admin/diagnosis/table-settings.dynamo.ts';
import { type StackResource, stackResources } from '../../shared/admin/stack-resources.cloudformation.ts';
import { tableShapes } from '../../shared/contract/tables.ts';
import { dynamo } from '../../shared/platform/aws/clients.ts';
import { idleAlarm } from './dead-letter-alarm.ts';
import type { StageOnAws } from './verified-stage.ts';

/**
 * @param tables - the names of the tables, by their names in the code
 * @param signal - ends the wait for a schedule
 */
export async function stageOnAws(
  stackName: string,
  tables: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<StageOnAws & { removeEarlier(before: Date): Promise<readonly string[]> }> {
  const resources = await stackResources(stackName);
  return {
    resourceTypes: async () => new Set(resources.map(({ type }) => type)),
    tableFaults: async () =>
      (await checkTables(dynamo(), tables, tableShapes)).map(({ table, problem }) => `${table}: ${problem}`),
    fireSchedule: (at, waitSeconds) => fireSchedule(stackName, resources, at, waitSeconds, signal),
    idleAlarm: () => idleAlarm(resources),
    removeEarlier: (before) => removeEarlierQueues(queueClient(), queuePrefix(stackName), before),
  };
}

/** What SQS waits for a message at most. */
const longPollSeconds = 20;

const queueClient = (): SQSClient => new SQSClient({ useQueueUrlAsEndpoint: false });

/** What the names of this program's schedules begin with. */
const namePrefix = 'verify-';
const queuePrefix = (stackName: string): string => `${stackName.slice(0, 36)}-${namePrefix}`;

async function fireSchedule(
  stackName: string,
  resources: readonly StackResource[],
  at: Date,
  waitSeconds: number,
  signal?: AbortSignal,
): Promise<Date | undefined> {
  const group = resources.find(({ type }) => type === 'AWS::Scheduler::ScheduleGroup')?.physicalId;
  const role = resources.find(
    ({ type, logicalId }) => type === 'AWS::IAM::Role' && logicalId.startsWith('SchedulesRole'),
  )?.physicalId;
  if (group === undefined || role === undefined)
    throw new Error('the stack has no schedule group, or no role for it');
  const sqs = queueClient();
  const scheduler = new SchedulerClient({});
  // A schedule's name has 64 characters at most, so it is without the stack's, which its group has.
  const id = randomUUID();
  const name = `${namePrefix}${id}`;
  const { QueueUrl } = await sqs.send(
    new CreateQueueCommand({ QueueName: `${queuePrefix(stackName)}${id}` }),
  );
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
    await scheduler.send(
      new CreateScheduleCommand({
        GroupName: group,
        Name: name,
        ScheduleExpression: `at(${at.toISOString().slice(0, 19)})`,
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: { Arn: QueueArn, RoleArn, Input: '{}' },
      }),
    );
    return await sentAt(sqs, QueueUrl, waitSeconds, signal);
  } finally {
    // It has deleted itself where it fired.
    await scheduler.send(new DeleteScheduleCommand({ GroupName: group, Name: name })).catch(() => undefined);
    await sqs.send(new DeleteQueueCommand({ QueueUrl })).catch((cause: unknown) => {
      throw new Error(`the queue ${QueueUrl} of this run is still there: ${String(cause)}`, { cause });
    });
  }
}

/**
 * Deletes the queues that runs before this time left; their schedules fired soon after, and deleted themselves.
 *
 * @returns what was deleted
 */
export async function removeEarlierQueues(
  sqs: Pick<SQSClient, 'send'>,
  QueueNamePrefix: string,
  before: Date,
): Promise<readonly string[]> {
  const removed: string[] = [];
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix }));
  for (const QueueUrl of QueueUrls) {
    const { Attributes: { CreatedTimestamp } = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['CreatedTimestamp'] }),
    );
    if (CreatedTimestamp === undefined || Number(CreatedTimestamp) * 1000 >= before.getTime()) continue;
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    removed.push(`queue ${QueueUrl.split('/').at(-1)}`);
  }
  return removed;
}

async function sentAt(
  sqs: SQSClient,
  queueUrl: string | undefined,
  waitSeconds: number,
  abortSignal?: AbortSignal,
): Promise<Date | undefined> {
  const until = Date.now() + waitSeconds * 1000;
  while (Date.now() < until) {
    const { Messages: [message] = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        WaitTimeSeconds: longPollSeconds,
        MessageSystemAttributeNames: ['SentTimestamp'],
      }),
      abortSignal === undefined ? {} : { abortSignal },
    );
    if (message !== undefined) return new Date(Number(message.Attributes?.SentTimestamp));
  }
  return undefined;
}
