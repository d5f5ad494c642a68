/** What `npm run verify` does to an alarm on AWS, against the emulator: it finds an idle one, raises it, and lowers it. */
import { randomUUID } from 'node:crypto';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import {
  PurgeQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stageOnAws } from '../../../bin/verify/stage-on-aws.ts';
import type { Alarm } from '../../../bin/verify/verified-stage.ts';
import { aimAtEmulator } from '../../../lib/local/aim-at-emulator.ts';
import { eventually, gateway, sqsClient } from '../../support/gateway/gateway.ts';

const stackName = `verify-${randomUUID().slice(0, 8)}`;
/** With the ids that `createDeadLetterQueue` gives, and CloudFormation's hashes behind them. */
const template = {
  Resources: {
    WebhooksDeadLetters0A1B2C3D: { Type: 'AWS::SQS::Queue' },
    WebhooksDeadLettersAlarm4E5F6071: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        AlarmName: `${stackName}-alarm`,
        Namespace: 'AWS/SQS',
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Dimensions: [
          { Name: 'QueueName', Value: { 'Fn::GetAtt': ['WebhooksDeadLetters0A1B2C3D', 'QueueName'] } },
        ],
        Statistic: 'Maximum',
        Period: 60,
        EvaluationPeriods: 1,
        Threshold: 1,
        ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      },
    },
  },
  Outputs: { Queue: { Value: { Ref: 'WebhooksDeadLetters0A1B2C3D' } } },
};

let cloudFormation: CloudFormationClient;
let sqs: SQSClient;
let queueUrl: string;

const stack = async () =>
  (await cloudFormation.send(new DescribeStacksCommand({ StackName: stackName }))).Stacks?.[0];

beforeAll(async () => {
  aimAtEmulator(process.env, gateway().aws);
  cloudFormation = new CloudFormationClient({});
  sqs = sqsClient();
  await cloudFormation.send(
    new CreateStackCommand({ StackName: stackName, TemplateBody: JSON.stringify(template) }),
  );
  queueUrl = await eventually(async () => {
    const { StackStatus, Outputs = [] } = (await stack()) ?? {};
    return StackStatus === 'CREATE_COMPLETE' ? Outputs[0]?.OutputValue : undefined;
  });
});
afterAll(() => cloudFormation.send(new DeleteStackCommand({ StackName: stackName })));

const bodies = async (): Promise<readonly string[]> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
  );
  return Messages.map(({ Body = '' }) => Body);
};

async function idleAlarm(): Promise<Alarm> {
  const alarm = await (await stageOnAws(stackName, {})).idleAlarm();
  if (alarm === undefined) throw new Error('no alarm is idle');
  return alarm;
}

describe('the alarm on a dead-letter queue', () => {
  it('is found by its queue, and CloudWatch tells its state', async () => {
    const alarm = await idleAlarm();
    expect(alarm.name).toBe(`${stackName}-alarm`);
    expect(await alarm.state()).toMatch(/^(OK|ALARM|INSUFFICIENT_DATA)$/);
  });

  it('is raised by one message, which is taken out again, and no other', async () => {
    const alarm = await idleAlarm();
    await alarm.raise();
    expect(await bodies()).toEqual([expect.stringContaining('shows that the alarm')]);
    const other = 'a message of the stage';
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: other }));
    await alarm.lower();
    expect(await bodies()).toEqual([other]);
    await alarm.lower();
    expect(await bodies()).toEqual([other]);
    // A queue with a message of the stage is left alone.
    expect(await (await stageOnAws(stackName, {})).idleAlarm()).toBeUndefined();
    await sqs.send(new PurgeQueueCommand({ QueueUrl: queueUrl }));
  });

  it('has its resources by their types', async () => {
    expect(await (await stageOnAws(stackName, {})).resourceTypes()).toEqual(
      new Set(['AWS::SQS::Queue', 'AWS::CloudWatch::Alarm']),
    );
  });
});
