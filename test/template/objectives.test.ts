/** The objectives of the service: when their alarms go off, what they measure, and which values are refused. */
import { describe, expect, it } from '@jest/globals';
import { stageFrom } from '../../lib/stages/stages.ts';
import { deployments } from '../support/template/deployments.ts';
import { resourcesOfType, synthesized } from '../support/template/stage-templates.ts';

interface Query {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: {
    readonly Metric: { readonly MetricName: string };
    readonly Period: number;
    readonly Stat: string;
  };
}

/** The alarms of the windows, by id. */
const windows = Object.fromEntries(
  resourcesOfType('production', 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => {
    const queries = (Properties.Metrics ?? []) as readonly Query[];
    const stats = queries.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat]));
    return [
      id,
      {
        expression: queries.find(({ Expression }) => Expression !== undefined)?.Expression,
        periods: [...new Set(stats.map(({ Period }) => Period))],
        stats: stats.map(({ Metric, Stat }) => `${Metric.MetricName} ${Stat}`),
        threshold: Properties.Threshold as number,
      },
    ];
  }),
);

/** The rule of an objective's alarm, with the window of each alarm in place of its name, in minutes. */
function ruleOf(name: string): { readonly rule: string; readonly named: readonly string[] } {
  const found = resourcesOfType('production', 'AWS::CloudWatch::CompositeAlarm').find(([, { Properties }]) =>
    Properties.AlarmName.endsWith(`-${name}`),
  );
  if (found === undefined) throw new Error(`no alarm of the objective ${name}`);
  const [, parts]: [string, (string | { 'Fn::GetAtt': string[] })[]] =
    found[1].Properties.AlarmRule['Fn::Join'];
  const named = parts.flatMap((part) => (typeof part === 'string' ? [] : [part['Fn::GetAtt'][0] ?? '']));
  const minutes = (id: string) => `${(windows[id]?.periods[0] ?? 0) / 60} min`;
  const rule = parts.map((part) => (typeof part === 'string' ? part : minutes(part['Fn::GetAtt'][0] ?? '')));
  return { rule: rule.join(''), named };
}

describe.each([
  ['availability', '5XXError Average', [1.44, 1.44, 0.6, 0.6]],
  ['otp-hand-over', 'OtpHandOverTime PR(:5000)', [72, 72, 30, 30]],
  ['first-webhook', 'WebhookFirstAttemptTime PR(:30000)', [72, 72, 30, 30]],
])('the alarm on the objective %s', (name, share, thresholds) => {
  const { rule, named } = ruleOf(name);
  const ofWindows = named.flatMap((id) => windows[id] ?? []);

  it('goes off where the budget burns too fast over a long and a short window', () => {
    const both = (long: number, short: number) => `(ALARM("${long} min") AND ALARM("${short} min"))`;
    expect(rule).toBe(`(${both(60, 5)} OR ${both(360, 30)})`);
    expect(ofWindows.map(({ threshold }) => threshold)).toEqual(thresholds);
  });

  it('reads one metric by one period in each window, as an alarm of CloudWatch must', () => {
    for (const { periods, stats } of ofWindows) {
      expect(periods).toHaveLength(1);
      expect(stats[0]).toBe(share);
    }
  });

  it('does not go off for fewer than ten failures in the long window', () => {
    const [hour, minutes] = ofWindows;
    expect(hour?.stats[1]).toBe(`${share.split(' ')[0]} SampleCount`);
    const failed = share.startsWith('5XX') ? '100 * share' : '100 - share';
    expect(hour?.expression).toBe(`IF(((${failed}) * count) >= 1000, ${failed}, 0)`);
    expect(minutes?.expression).toBe(failed);
  });
});

describe('the times of the objectives', () => {
  it('are read from log lines, for this stack alone, and never negative: such a metric has no percentiles', () => {
    const filters = resourcesOfType('production', 'AWS::Logs::MetricFilter').map(([, { Properties }]) => {
      const [to] = Properties.MetricTransformations;
      return [to.MetricName, Properties.FilterPattern, to.MetricValue, to.Dimensions];
    });
    const service = [{ Key: 'service', Value: '$.service' }];
    expect(filters).toEqual(
      expect.arrayContaining([
        ['OtpHandOverTime', '{ $.otp_ms = "*" }', '$.otp_ms', service],
        ['WebhookFirstAttemptTime', '{ ($.attempt = 1) && ($.lateness_ms >= 0) }', '$.lateness_ms', service],
      ]),
    );
  });

  it('are read from lines that Lambda writes at every level, as are all metrics that are read from lines', () => {
    const filters = resourcesOfType('production', 'AWS::Logs::MetricFilter');
    const functions = resourcesOfType('production', 'AWS::Lambda::Function').map(
      ([, each]) => each.Properties,
    );
    for (const [, { Properties }] of filters) {
      const group = JSON.stringify(Properties.LogGroupName);
      const logging = functions.find(({ LoggingConfig }) => JSON.stringify(LoggingConfig.LogGroup) === group);
      expect(logging?.LoggingConfig).not.toHaveProperty('ApplicationLogLevel');
      expect(logging?.Environment.Variables).not.toHaveProperty('LOG_LEVEL');
    }
  });

  it('are on the dashboard of every stage, also of one without alarms', () => {
    for (const name of ['no settings', 'production']) {
      const [[, dashboard]] = resourcesOfType(name, 'AWS::CloudWatch::Dashboard');
      const body = JSON.stringify(dashboard.Properties.DashboardBody);
      for (const shown of ['Requests without a 5xx', 'PR(:5000)', 'PR(:30000)'])
        expect(body).toContain(shown);
    }
    expect(Object.keys(synthesized('no settings').resources).join()).not.toContain('slo');
  });
});

describe('the setting objectives', () => {
  const objectives = {
    availability: 0.99,
    otpHandOver: { share: 0.99, seconds: 3 },
    firstWebhook: { share: 0.95, seconds: 10 },
  };
  const given = (changes: object) => () =>
    stageFrom({ ...deployments.production, objectives: { ...objectives, ...changes } });

  it('is taken', () => {
    expect(given({})().objectives).toEqual(objectives);
  });

  it.each([
    ['a percentage', { availability: 99.9 }, 'objectives.availability'],
    ['a share that leaves no budget', { availability: 1 }, 'objectives.availability'],
    ['a share so low that no burn rate reaches 14.4', { availability: 0.9 }, 'objectives.availability'],
    ['no time', { otpHandOver: { share: 0.95, seconds: 0 } }, 'objectives.otpHandOver.seconds'],
    ['another name', { webhook: 0.95 }, 'objectives: Unrecognized key: "webhook"'],
  ])('is refused with %s', (_what, changes, fault) => {
    expect(given(changes)).toThrow(fault);
  });
});
