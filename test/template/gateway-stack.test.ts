import { describe, expect, it } from '@jest/globals';
import { statementsOf } from '../support/template/function-actions.ts';
import {
  refOf,
  resourcesOfType,
  synthesized,
  type TemplateResource,
  typesIn,
} from '../support/template/stage-templates.ts';

type Named = [id: string, resource: TemplateResource];

const dev = (type: string): TemplateResource[] =>
  resourcesOfType('no settings', type).map(([, made]) => made);
const production = (type: string): Named[] => resourcesOfType('production', type);
const local = (type: string): Named[] => resourcesOfType('local', type);

describe('the stack', () => {
  const functions = dev('AWS::Lambda::Function');

  it('gives every function a role and a log group that no other function has', () => {
    const roles = functions.map(({ Properties }) => JSON.stringify(Properties.Role));
    const logs = functions.map(({ Properties }) =>
      JSON.stringify((Properties.LoggingConfig as { LogGroup: unknown }).LogGroup),
    );
    expect(new Set(roles).size).toBe(functions.length);
    expect(new Set(logs).size).toBe(functions.length);
  });

  it('runs every function on Node 24, on arm64, with JSON logs', () => {
    for (const { Properties } of functions) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        LoggingConfig: { LogFormat: 'JSON' },
      });
    }
  });

  it('has a dead-letter queue for every queue that functions read', () => {
    const queues = production('AWS::SQS::Queue').map(([, queue]) => queue);
    expect(queues.filter(({ Properties }) => Properties.RedrivePolicy !== undefined)).toHaveLength(6);
  });

  it('relays insertions and changes except claims, and what the relay set aside every ten minutes', () => {
    const filters = [
      {
        Pattern:
          '{"eventName":["INSERT","MODIFY"],"dynamodb":{"NewImage":{"status":{"S":[{"anything-but":["sending"]}]}}}}',
      },
    ];
    expect(dev('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties)).toContainEqual(
      expect.objectContaining({
        ParallelizationFactor: 4,
        FilterCriteria: { Filters: filters },
      }),
    );
    const queues = dev('AWS::SQS::Queue').map(({ Properties }) => Properties.VisibilityTimeout);
    expect(queues).toContain(600);
  });

  it('permits a recursive loop only for functions that send to their own queues', () => {
    const looping = dev('AWS::Lambda::Function').filter(
      ({ Properties }) => Properties.RecursiveLoop === 'Allow',
    );
    const names = looping.map(({ Properties }) => String(Properties.Description).split(': ')[1]);
    expect([...new Set(names)].toSorted()).toEqual(['deliver-webhook', 'dispatch-message']);
  });

  it('gives each queue its own concurrency, and reports partial batch failures', () => {
    const queues = dev('AWS::Lambda::EventSourceMapping').filter(
      ({ Properties }) => Properties.ScalingConfig !== undefined,
    );
    expect(queues).toHaveLength(7);
    for (const { Properties } of queues)
      expect(Properties.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
  });

  it('has a queue for each kind of send', () => {
    const fed = dev('AWS::Lambda::EventSourceMapping').flatMap(({ Properties }) =>
      String(Properties.FunctionName?.Ref ?? '').startsWith('MessagingDispatchMessage')
        ? [[Properties.EventSourceArn['Fn::GetAtt'][0], Properties.ScalingConfig.MaximumConcurrency]]
        : [],
    );
    expect(fed.toSorted()).toEqual([
      [expect.stringMatching(/^MessagingBulkOutboundQueue/), 20],
      [expect.stringMatching(/^MessagingOtpOutboundQueue/), 10],
      ['MessagingOutboundQueue8820DF31', 20],
    ]);
  });

  it('waits for no batch of a queue: with a window, and few messages, Lambda may wait for up to 20 seconds', () => {
    const { queues = [], streams = [] } = Object.groupBy(
      dev('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties),
      ({ StartingPosition }) => (StartingPosition === undefined ? 'queues' : 'streams'),
    );
    expect(queues).toHaveLength(7);
    for (const { MaximumBatchingWindowInSeconds: window = 0, BatchSize } of queues)
      expect([window, BatchSize]).toEqual([0, 10]);
    const batching = streams.filter(({ MaximumBatchingWindowInSeconds: window = 0 }) => window > 0);
    expect(
      batching.map(({ BatchSize, MaximumBatchingWindowInSeconds }) => [
        BatchSize,
        MaximumBatchingWindowInSeconds,
      ]),
    ).toEqual([
      [1000, 60],
      [1000, 20],
    ]);
  });

  it.each(['no settings', 'production'])(
    'never repeats a run by the clock that failed or was throttled: %s',
    (name) => {
      const called = resourcesOfType(name, 'AWS::Scheduler::Schedule').map(
        ([, { Properties }]) => Properties.Target.Arn,
      );
      const configs = resourcesOfType(name, 'AWS::Lambda::EventInvokeConfig');
      const configured = configs.map(([, { Properties }]) => Properties);
      expect(configured).toHaveLength(called.length);
      const { resources } = synthesized(name);
      for (const arn of called) {
        const [target = ''] = Array.from(
          JSON.stringify(arn).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g),
          ([, id]) => id,
        );
        const alias = resources[target]?.Type === 'AWS::Lambda::Alias' ? resources[target] : undefined;
        expect(configured).toContainEqual({
          FunctionName: { Ref: alias === undefined ? target : refOf(alias.Properties.FunctionName) },
          Qualifier: alias === undefined ? '$LATEST' : 'live',
          MaximumEventAgeInSeconds: 60,
          MaximumRetryAttempts: 0,
        });
        // A configuration of an alias that does not exist yet is refused.
        if (alias !== undefined)
          expect(configs.flatMap(([, { DependsOn = [] }]) => DependsOn)).toContain(target);
      }
    },
  );

  it('keeps the data of production when its stack is deleted, and requires TLS for queues on AWS', () => {
    for (const [, table] of production('AWS::DynamoDB::Table')) {
      expect(table).toMatchObject({
        DeletionPolicy: 'Retain',
        Properties: { DeletionProtectionEnabled: true },
      });
    }
    expect(production('AWS::SQS::QueuePolicy')).toHaveLength(production('AWS::SQS::Queue').length);
    // The emulator serves http only.
    expect(typesIn('local')).not.toContain('AWS::SQS::QueuePolicy');
  });

  it('may hand messages over, and receive receipts, only with a real carrier', () => {
    const carrierActions = ['sms-voice:SendTextMessage', 'social-messaging:SendWhatsAppMessage'];
    const handOvers = (roles: readonly TemplateResource[]) =>
      roles
        .flatMap(({ Properties }) => statementsOf(Properties))
        .filter(({ Action }) => carrierActions.some((name) => [Action].flat().includes(name)));
    const dispatch = production('AWS::IAM::Role').filter(([id]) =>
      id.startsWith('MessagingDispatchMessageRole'),
    );
    expect(handOvers(dispatch.map(([, role]) => role))).toHaveLength(2);
    expect(handOvers(production('AWS::IAM::Role').map(([, role]) => role))).toHaveLength(2);
    expect(production('AWS::SNS::Subscription')).toHaveLength(1);
    expect(handOvers(dev('AWS::IAM::Role'))).toEqual([]);
    expect(typesIn('no settings')).not.toContain('AWS::SNS::Topic');
  });

  it('has the outbox of the simulator on every stage, for test keys; its capacity is never provisioned', () => {
    const outboxes = (tables: readonly Named[]) =>
      tables.filter(([, { Properties }]) => String(Properties.TableName).endsWith('simulator-outbox'));
    expect(outboxes(local('AWS::DynamoDB::Table'))).toHaveLength(1);
    expect(outboxes(production('AWS::DynamoDB::Table'))).toMatchObject([
      [expect.anything(), { Properties: { BillingMode: 'PAY_PER_REQUEST' } }],
    ]);
  });
});
