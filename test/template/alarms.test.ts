/** Which alarms a stage has, and that those over tables see every request that DynamoDB throttles, and end. */
import { describe, expect, it } from '@jest/globals';
import { deployments } from '../support/template/deployments.ts';
import { refOf, resourcesOfType, synthesized, typesIn } from '../support/template/stage-templates.ts';

interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface Alarm {
  readonly id: string;
  readonly expression: string | undefined;
  readonly metrics: readonly Metric[];
}

function alarmsOf(deployment: string): Alarm[] {
  return resourcesOfType(deployment, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => {
    const stats = (Properties.Metrics ?? []) as readonly {
      Expression?: string;
      MetricStat?: { Metric: Metric };
    }[];
    return {
      id,
      expression: stats.find(({ Expression }) => Expression !== undefined)?.Expression,
      metrics:
        Properties.MetricName === undefined
          ? stats.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat.Metric]))
          : [Properties as Metric],
    };
  });
}

/** `global-tables.test.ts` has the standby, most of whose tables are of another stack. */
const withAlarms = Object.keys(deployments).filter(
  (name) => name.startsWith('production') && name !== 'production as a standby',
);

describe.each(withAlarms)('the alarms over tables, %s', (deployment) => {
  const alarms = alarmsOf(deployment);

  it('watch throttled reads and writes of every table, and of every index, which a metric of its table leaves out', () => {
    const keyOf = ({ MetricName, Dimensions = [] }: Metric): string => {
      const [table, index] = ['TableName', 'GlobalSecondaryIndexName'].map(
        (name) => Dimensions.find((dimension) => dimension.Name === name)?.Value,
      );
      return `${MetricName} ${refOf(table)} ${index ?? '-'}`;
    };
    const watched = alarms
      .flatMap(({ metrics }) => metrics)
      .filter(({ Namespace }) => Namespace === 'AWS/DynamoDB')
      .map(keyOf);
    // Only what test keys "send" waits for the outbox of the simulator.
    const tables = Object.entries(synthesized(deployment).resources).filter(
      ([, { Type, Properties }]) =>
        ['AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'].includes(Type) &&
        !Properties.TableName.endsWith('-simulator-outbox'),
    );
    const expected = tables.flatMap(([id, { Properties }]) => {
      const indexes = (Properties.GlobalSecondaryIndexes ?? []) as readonly { IndexName: string }[];
      return ['-', ...indexes.map(({ IndexName }) => IndexName)].flatMap((index) =>
        ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metric) => `${metric} ${id} ${index}`),
      );
    });
    expect(watched.toSorted()).toEqual(expected.toSorted());
  });

  it('end without data: CloudWatch ignores missing data of DynamoDB, whatever the alarm says', () => {
    const over = alarms.filter(({ metrics }) =>
      metrics.some(({ Namespace }) => Namespace === 'AWS/DynamoDB'),
    );
    expect(over.length).toBeGreaterThan(0);
    for (const { id, expression = '' } of over)
      expect(`${id} ${expression}`).toMatch(/^\w+ \w+\(FILL\(METRICS\(\), 0\)\)$/);
  });

  it('have at most the ten metrics that an alarm may have', () => {
    for (const { metrics } of alarms) expect(metrics.length).toBeLessThanOrEqual(10);
  });
});

describe('the alarms over dead-letter queues', () => {
  it('link to a redrive only where SQS allows it: for what came from a queue', () => {
    const queues = resourcesOfType('production', 'AWS::SQS::Queue');
    const sources = JSON.stringify(queues.map(([, { Properties }]) => Properties.RedrivePolicy ?? null));
    const alarms = resourcesOfType('production', 'AWS::CloudWatch::Alarm').filter(
      ([, { Properties }]) => Properties.MetricName === 'ApproximateNumberOfMessagesVisible',
    );
    expect(alarms.length).toBeGreaterThan(0);
    for (const [id, { Properties }] of alarms) {
      const queue = Properties.Dimensions[0].Value['Fn::GetAtt'][0];
      const runbook = sources.includes(`"${queue}"`) ? 'dead-letters' : 'relay-dead-letters';
      expect(`${id} ${Properties.AlarmDescription}`).toMatch(new RegExp(`#runbook-${runbook}$`));
    }
  });
});

describe('a stage for a trial', () => {
  it.each(['no settings', 'local'])('has no alarms, which would cost money and notify nobody: %s', (name) => {
    expect(typesIn(name)).not.toContain('AWS::CloudWatch::Alarm');
    expect(JSON.stringify(synthesized(name).resources)).not.toContain('"type":"alarm"');
  });
});
