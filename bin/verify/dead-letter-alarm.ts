/** An alarm of the stage on a dead-letter queue: raised by a message of our own, which is taken out again. */
import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { StackResource } from '../../shared/admin/stack-resources.cloudformation.ts';
import { addressOf, signedPost } from '../../shared/platform/aws/signed-post.ts';
import type { Alarm } from './verified-stage.ts';

/** CloudFormation's ids end with eight characters of a hash. */
const withoutHash = (id: string): string => id.slice(0, -8);

/** The first alarm whose dead-letter queue is empty, so that no message of the stage is touched. */
export async function idleAlarm(resources: readonly StackResource[]): Promise<Alarm | undefined> {
  const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  for (const { queue, alarm } of alarmedQueues(resources))
    if (await isEmpty(sqs, queue.physicalId)) return alarmOn(sqs, queue.physicalId, alarm.physicalId);
  return undefined;
}

/** The queues of a stack that an alarm is on, by the names of both. */
export function alarmedQueues(resources: readonly StackResource[]) {
  const alarms = resources.filter(({ type }) => type === 'AWS::CloudWatch::Alarm');
  return resources
    .filter(({ type }) => type === 'AWS::SQS::Queue')
    .flatMap((queue) => {
      const name = `${withoutHash(queue.logicalId)}Alarm`;
      const alarm = alarms.find(({ logicalId }) => withoutHash(logicalId) === name);
      return alarm === undefined ? [] : [{ queue, alarm }];
    });
}

async function isEmpty(sqs: SQSClient, queueUrl: string): Promise<boolean> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return Object.values(Attributes).every((count) => count === '0');
}

function alarmOn(sqs: SQSClient, QueueUrl: string, name: string): Alarm {
  const MessageBody = `Verification ${randomUUID()}: shows that the alarm on this queue goes on. It is removed again.`;
  let isRaised = false;
  return {
    name,
    state: () => alarmState(name),
    async raise() {
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
      isRaised = true;
    },
    async lower() {
      if (!isRaised) return;
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 20 }),
      );
      for (const { Body, ReceiptHandle } of Messages) {
        if (Body === MessageBody) {
          await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
          isRaised = false;
          continue;
        }
        // A message of the stage that came meanwhile stays for the people that it is for.
        await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
      }
      if (isRaised) throw new Error(`the message of this run is still in ${QueueUrl}: delete it by hand`);
    },
  };
}

/** `OK`, `ALARM` or `INSUFFICIENT_DATA`. @throws Error where there is no such alarm */
async function alarmState(name: string): Promise<string> {
  // Every client finds the region and the credentials of the environment in the same way.
  const { config } = new SQSClient({});
  const address = process.env.AWS_ENDPOINT_URL ?? addressOf('monitoring', await config.region());
  const response = await signedPost(config, {
    service: 'monitoring',
    endpoint: new URL(address),
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: new URLSearchParams({
      Action: 'DescribeAlarms',
      Version: '2010-08-01',
      'AlarmNames.member.1': name,
    }).toString(),
  });
  const text = await response.text();
  const [, state] = /<StateValue>(\w+)<\/StateValue>/.exec(text) ?? [];
  if (state === undefined) throw new Error(`CloudWatch knows no state of ${name}: ${response.status}`);
  return state;
}
