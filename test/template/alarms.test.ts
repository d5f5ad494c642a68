/** The alarms: how many there are, what they cost, whom they notify, and that somebody emits each metric that they read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { runbooks } from '../../lib/constructs/alarm.ts';
import { stageFrom } from '../../lib/stages/stages.ts';
import { deployments } from '../support/template/deployments.ts';
import { resourcesOfType, synthesized, typesIn } from '../support/template/stage-templates.ts';

interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface Alarm {
  readonly name: string;
  readonly metrics: readonly Metric[];
  readonly actions: readonly unknown[];
}

function alarmsOf(deployment: string): Alarm[] {
  const { stackName } = stageFrom(deployments[deployment] ?? {});
  return resourcesOfType(deployment, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => {
    const { AlarmName, AlarmActions = [], Metrics, MetricName } = Properties;
    const read = (Metrics ?? []) as readonly { Expression?: string; MetricStat?: { Metric: Metric } }[];
    return {
      name: String(AlarmName).replace(`${stackName}-`, ''),
      metrics:
        MetricName === undefined
          ? read.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat.Metric]))
          : [Properties as Metric],
      actions: AlarmActions,
    };
  });
}

/** What the services emit, with the dimensions of each metric, by their user guides. */
const documented: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'AWS/ApiGateway': { '5XXError': ['ApiName'] },
  'AWS/Lambda': {
    Duration: ['FunctionName'],
    Errors: ['FunctionName'],
    Invocations: ['FunctionName'],
    IteratorAge: ['FunctionName'],
  },
  'AWS/SQS': {
    ApproximateAgeOfOldestMessage: ['QueueName'],
    ApproximateNumberOfMessagesVisible: ['QueueName'],
  },
};

const source = readFileSync(join(import.meta.dirname, '../../shared/contract/metrics.ts'), 'utf8');
const ownMetrics = Array.from(source.matchAll(/^ {2}\| '(\w+)'/gm), ([, name]) => name);

describe.each(['production', 'production with everything', 'production of an enterprise'])(
  'the alarms of %s',
  (deployment) => {
    const alarms = alarmsOf(deployment);
    const { resources } = synthesized(deployment);

    it('are eighteen, one for each runbook, on sixty metrics at most and ten for each', () => {
      expect(alarms.map(({ name }) => name).toSorted()).toEqual(Object.keys(runbooks).toSorted());
      expect(alarms.length).toBeLessThanOrEqual(18);
      const counts = alarms.map(({ metrics }) => metrics.length);
      expect(Math.max(...counts)).toBeLessThanOrEqual(10);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(60);
    });

    it('read metrics that a service documents or the gateway emits, of resources of the stack', () => {
      const { stackName } = stageFrom(deployments[deployment] ?? {});
      for (const { name, metrics } of alarms) {
        for (const { Namespace, MetricName, Dimensions = [] } of metrics) {
          const what = `${name}: ${Namespace} ${MetricName}`;
          const dimensions = Dimensions.map((dimension) => dimension.Name);
          if (Namespace === 'MessagingGateway') {
            expect(ownMetrics).toContain(MetricName);
            expect([what, Dimensions]).toEqual([what, [{ Name: 'service', Value: stackName }]]);
            continue;
          }
          expect([what, dimensions]).toEqual([what, documented[Namespace]?.[MetricName]]);
          for (const { Name, Value } of Dimensions) {
            const value = Value as { Ref?: string; 'Fn::GetAtt'?: [string, string] };
            const [id, attribute] = value['Fn::GetAtt'] ?? [value.Ref];
            const type = resources[id ?? '']?.Type;
            if (Name === 'FunctionName') expect(`${what} ${type}`).toBe(`${what} AWS::Lambda::Function`);
            if (Name === 'QueueName')
              expect(`${what} ${type} ${attribute}`).toBe(`${what} AWS::SQS::Queue QueueName`);
            if (Name === 'ApiName') expect(Value).toBe(stackName);
          }
        }
      }
    });

    it('go off although the latest minute is filled before its data arrive', () => {
      const byMinute = resourcesOfType(deployment, 'AWS::CloudWatch::Alarm')
        .map(([, { Properties }]) => Properties)
        .filter(({ Metrics }) => /FILL.*"Period":60\D/.test(JSON.stringify(Metrics ?? [])));
      expect(byMinute).toHaveLength(3);
      for (const { DatapointsToAlarm, EvaluationPeriods } of byMinute)
        expect(DatapointsToAlarm).toBeLessThan(EvaluationPeriods);
    });

    it('see each dead-letter queue: those that no function reads', () => {
      const queues = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::SQS::Queue');
      const dead = queues.filter(([, { Properties }]) => Properties.RedrivePolicy === undefined);
      const watched = alarms
        .filter(({ name }) => name === 'dead-letters')
        .flatMap(({ metrics }) => metrics)
        .map(({ Dimensions: [of] = [] }) => (of?.Value as { 'Fn::GetAtt'?: string[] })?.['Fn::GetAtt']?.[0]);
      expect(watched.toSorted()).toEqual(dead.map(([id]) => id).toSorted());
    });
  },
);

describe('whom alarms notify', () => {
  it('is the pager of those that cannot wait, and the address for mail of all others', () => {
    const topics = (urgency: string) => {
      const some = alarmsOf('production with everything').filter(
        ({ name }) => runbooks[name as keyof typeof runbooks] === urgency,
      );
      expect(some.length).toBeGreaterThan(5);
      return [...new Set(some.map(({ actions }) => JSON.stringify(actions)))];
    };
    expect(topics('page')).toEqual([
      expect.stringMatching(/^\[\{"Ref":"AlarmNotificationsPages[0-9A-F]{8}"\}\]$/),
    ]);
    expect(topics('mail')).toEqual([
      expect.stringMatching(/^\[\{"Ref":"AlarmNotificationsTopic[0-9A-F]{8}"\}\]$/),
    ]);
  });

  it('read a link to the runbook, which is an absolute address: by default below the home page of the project', () => {
    const { homepage } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    for (const [, { Properties }] of resourcesOfType('production', 'AWS::CloudWatch::Alarm')) {
      const [, runbook] = /^messaging-gateway-production-(.+)$/.exec(Properties.AlarmName) ?? [];
      expect(Properties.AlarmDescription).toMatch(
        new RegExp(` ${homepage}/\\S+/docs/operate\\.md#runbook-${runbook}$`),
      );
    }
  });
});

describe('metrics that are read from log lines', () => {
  const filters = resourcesOfType('production', 'AWS::Logs::MetricFilter').map(([, each]) => each.Properties);

  it('are of this stack alone, and times are never negative: such a metric has no percentiles', () => {
    const read = filters.map(({ FilterPattern, MetricTransformations: [to] }) => {
      expect(to.Dimensions).toEqual([{ Key: 'service', Value: '$.service' }]);
      return [to.MetricName, FilterPattern, to.MetricValue];
    });
    expect(read.toSorted()).toEqual([
      ['MessageCost', '{ $.cost = "*" }', '$.cost'],
      ['OtpHandOverTime', '{ $.otp_ms = "*" }', '$.otp_ms'],
      ['ReceiptRecorded', '{ ($.message = "receipt") && ($.client_id != "*-test") }', '1'],
      [
        'WebhookFirstAttemptFailed',
        '{ (($.queue = "first") && ($.attempt = 1)) && ($.outcome != "acknowledged") }',
        '1',
      ],
      [
        'WebhookFirstAttemptTime',
        '{ (($.queue = "first") && ($.attempt = 1)) && ($.lateness_ms >= 0) }',
        '$.lateness_ms',
      ],
    ]);
  });

  it('are read from lines that Lambda writes at every level', () => {
    const functions = resourcesOfType('production', 'AWS::Lambda::Function').map(
      ([, each]) => each.Properties,
    );
    for (const { LogGroupName } of filters) {
      const group = JSON.stringify(LogGroupName);
      const logging = functions.find(({ LoggingConfig }) => JSON.stringify(LoggingConfig.LogGroup) === group);
      expect(logging?.LoggingConfig).not.toHaveProperty('ApplicationLogLevel');
      expect(logging?.Environment.Variables).not.toHaveProperty('LOG_LEVEL');
    }
  });
});

describe('functions that run by the clock', () => {
  it('are not traced by X-Ray, which would record and charge each run', () => {
    const functions = resourcesOfType('production', 'AWS::Lambda::Function');
    const traced = functions.filter(([, { Properties }]) => Properties.TracingConfig?.Mode === 'Active');
    expect(traced.length).toBeGreaterThan(15);
    const called = JSON.stringify(
      resourcesOfType('production', 'AWS::Scheduler::Schedule').map(
        ([, { Properties }]) => Properties.Target.Arn,
      ),
    );
    expect(traced.filter(([id]) => called.includes(`"${id}"`)).map(([id]) => id)).toEqual([]);
  });
});

describe('a stage for a trial', () => {
  it.each(['no settings', 'local'])('has no alarms, which would cost money and notify nobody: %s', (name) => {
    expect(typesIn(name)).not.toContain('AWS::CloudWatch::Alarm');
    expect(typesIn(name)).not.toContain('AWS::CloudWatch::Dashboard');
  });
});
