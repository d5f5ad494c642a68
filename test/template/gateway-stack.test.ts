import { beforeAll, describe, expect, it } from '@jest/globals';
import { App } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { GatewayStack } from '../../lib/gateway-stack.ts';
import { stages } from '../../lib/stages/stages.ts';
import { statementsOf } from '../support/template/function-actions.ts';

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
}

function templateOf(stage: (typeof stages)[keyof typeof stages]): Template {
  return Template.fromStack(new GatewayStack(new App(), stage));
}

function statements(template: Template): { role: string; statement: Statement }[] {
  return Object.entries(template.findResources('AWS::IAM::Role')).flatMap(([role, { Properties }]) =>
    statementsOf(Properties).map((statement) => ({ role, statement })),
  );
}

const actionsOf = ({ Action }: Statement): readonly string[] => [Action].flat() as string[];

describe('the stack', () => {
  let dev: Template;
  let local: Template;
  beforeAll(() => {
    dev = templateOf(stages.dev);
    local = templateOf(stages.local);
  });

  const functions = (template: Template): Resource[] =>
    Object.values(template.findResources('AWS::Lambda::Function')) as unknown as Resource[];

  it('gives every function a role and a log group that no other function has', () => {
    const roles = functions(dev).map(({ Properties }) => JSON.stringify(Properties.Role));
    const logs = functions(dev).map(({ Properties }) =>
      JSON.stringify((Properties.LoggingConfig as { LogGroup: unknown }).LogGroup),
    );
    expect(new Set(roles).size).toBe(functions(dev).length);
    expect(new Set(logs).size).toBe(functions(dev).length);
  });

  it('runs every function on Node 24, on arm64, with JSON logs and an alarm on its errors', () => {
    for (const { Properties } of functions(dev)) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        LoggingConfig: { LogFormat: 'JSON' },
      });
    }
    const errorAlarms = Object.values(dev.findResources('AWS::CloudWatch::Alarm')).filter(({ Properties }) =>
      JSON.stringify(Properties).includes('"Errors"'),
    );
    expect(errorAlarms).toHaveLength(functions(dev).length);
  });

  it('has an alarm on every dead-letter queue, and a dead-letter queue for every other queue', () => {
    const queues = Object.values(dev.findResources('AWS::SQS::Queue'));
    const withDeadLetters = queues.filter(({ Properties }) => Properties.RedrivePolicy !== undefined);
    const alarms = dev.findResources('AWS::CloudWatch::Alarm', {
      Properties: { MetricName: 'ApproximateNumberOfMessagesVisible' },
    });
    expect(withDeadLetters).toHaveLength(4);
    expect(Object.keys(alarms)).toHaveLength(queues.length - withDeadLetters.length);
  });

  it('relays insertions and changes except claims, isolates a bad record, and keeps failed records', () => {
    dev.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BisectBatchOnFunctionError: true,
      // The stream keeps a record for 24 hours, so a failed one can still be read.
      MaximumRecordAgeInSeconds: 72_000,
      MaximumRetryAttempts: 100,
      FilterCriteria: {
        Filters: [
          {
            Pattern:
              '{"eventName":["INSERT","MODIFY"],"dynamodb":{"NewImage":{"status":{"S":[{"anything-but":["sending"]}]}}}}',
          },
        ],
      },
      DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
    });
  });

  it('permits a recursive loop only for the function that queues its messages again', () => {
    const looping = Object.values(dev.findResources('AWS::Lambda::Function')).filter(
      ({ Properties }) => Properties.RecursiveLoop === 'Allow',
    );
    expect(looping.map(({ Properties }) => Properties.Description)).toEqual([
      'Messaging gateway (dev): dispatch-message',
    ]);
  });

  it('gives each lane its own concurrency, and reports partial batch failures', () => {
    const lanes = Object.values(dev.findResources('AWS::Lambda::EventSourceMapping')).filter(
      ({ Properties }) => Properties.ScalingConfig !== undefined,
    );
    expect(lanes).toHaveLength(4);
    for (const { Properties } of lanes)
      expect(Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
  });

  it('has a batching window of a second in the slow lane, and of a minute for usage, and no other', () => {
    const batching = Object.values(dev.findResources('AWS::Lambda::EventSourceMapping')).filter(
      ({ Properties }) => Properties.MaximumBatchingWindowInSeconds !== undefined,
    );
    expect(
      batching.map(({ Properties }) => [Properties.BatchSize, Properties.MaximumBatchingWindowInSeconds]),
    ).toEqual(
      expect.arrayContaining([
        [100, 1],
        [1000, 60],
      ]),
    );
    expect(batching).toHaveLength(2);
  });

  it('keeps the data of production when its stack is deleted, and requires TLS for queues on AWS', () => {
    const production = templateOf(stages.production);
    for (const table of Object.values(production.findResources('AWS::DynamoDB::Table'))) {
      expect(table).toMatchObject({
        DeletionPolicy: 'Retain',
        Properties: { DeletionProtectionEnabled: true },
      });
    }
    const queues = Object.keys(production.findResources('AWS::SQS::Queue')).length;
    expect(Object.keys(production.findResources('AWS::SQS::QueuePolicy'))).toHaveLength(queues);
    // The emulator serves http only.
    expect(local.findResources('AWS::SQS::QueuePolicy')).toEqual({});
  });

  it('may hand messages over, and receive receipts, only with a real carrier', () => {
    const carrierActions = ['sms-voice:SendTextMessage', 'social-messaging:SendWhatsAppMessage'];
    const handOvers = (template: Template) =>
      statements(template).filter(({ statement }) =>
        carrierActions.some((name) => actionsOf(statement).includes(name)),
      );
    const production = templateOf(stages.production);
    expect(handOvers(production).map(({ role }) => role)).toEqual([
      expect.stringMatching(/^MessagingDispatchMessageRole/),
      expect.stringMatching(/^MessagingDispatchMessageRole/),
    ]);
    production.resourceCountIs('AWS::SNS::Subscription', 1);
    expect(handOvers(dev)).toEqual([]);
    dev.resourceCountIs('AWS::SNS::Topic', 0);
  });

  it('has the outbox of the simulator only where no real message is sent', () => {
    const outbox = { Properties: { TableName: Match.stringLikeRegexp('simulator-outbox$') } };
    expect(Object.keys(local.findResources('AWS::DynamoDB::Table', outbox))).toHaveLength(1);
    expect(templateOf(stages.production).findResources('AWS::DynamoDB::Table', outbox)).toEqual({});
  });
});
