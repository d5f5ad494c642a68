/**
 * Shows that a fault of each kind sets off its alarm. For each alarm that reads a metric of the gateway's own, the deployed
 * functions run in a simulated world with that fault. What they print is read as CloudWatch reads it, with the metric filters,
 * expressions and thresholds of the template. `node test/simulation/alarm-faults.ts [NAME]`; exits with 1 if an alarm stays off.
 */
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { GatewayStack } from '../../lib/gateway-stack.ts';
import { usualOnUnknown, usualUnknownDeadlines } from '../../shared/contract/variables.ts';
import { loadedCode } from '../support/simulation/code.ts';
import { withSettings } from '../support/simulation/deployment.ts';
import { endpointUrl } from '../support/simulation/outside/endpoints.ts';
import { randomOf } from '../support/simulation/random.ts';
import { sceneOn } from '../support/simulation/scene.ts';
import { type Outage, simulatedStage } from '../support/simulation/stage.ts';
import { deployments } from '../support/template/deployments.ts';

const minuteMs = 60_000;
const startAt = new Date('2026-11-20T10:00:00Z');

interface World {
  readonly sleep: (ms: number) => Promise<void>;
  /** Sends SMS to so many numbers that end in this digit, which says what the carrier does with them. */
  readonly send: (count: number, digit: number, body?: object) => Promise<void>;
  readonly sendPasswords: (count: number) => Promise<void>;
}

interface Case {
  /** From the start, in minutes. */
  readonly outages?: readonly { readonly of: string; readonly from: number; readonly until: number }[];
  readonly limits?: readonly Readonly<Record<string, unknown>>[];
  readonly minutes: number;
  readonly act: (world: World) => Promise<void>;
}

const delivered = 0;
const silent = 5;
const refused = 7;
/** Longer than one segment, so that it costs more. */
const longText = 'a'.repeat(1500);

/** Does something in the first minute of each period, so often. */
async function inEach(periodMinutes: number, times: number, { sleep }: World, act: () => Promise<void>) {
  for (let i = 0; i < times; i += 1) {
    await Promise.all([act(), sleep(periodMinutes * minuteMs)]);
  }
}

const cases: Readonly<Record<string, Case>> = {
  'sends-fail': {
    outages: [{ of: 'send-sms', from: 1, until: 9 }],
    minutes: 10,
    act: (world) => inEach(1, 6, world, () => world.send(4, delivered)),
  },
  'work-fails': {
    outages: [{ of: 'dispatch-message', from: 1, until: 9 }],
    minutes: 10,
    act: (world) => inEach(1, 6, world, () => world.send(4, delivered)),
  },
  'messages-wait': {
    outages: [{ of: 'sms', from: 0, until: 15 }],
    minutes: 15,
    act: (world) => inEach(5, 3, world, () => world.send(45, delivered)),
  },
  'passwords-late': {
    outages: [0, 5, 10].map((from) => ({ of: 'relay-changes', from, until: from + 1 })),
    minutes: 15,
    act: (world) => inEach(5, 3, world, () => world.sendPasswords(12)),
  },
  'passwords-held': {
    minutes: 15,
    act: (world) => inEach(3, 4, world, () => world.sendPasswords(30)),
  },
  'carrier-refusals': { minutes: 5, act: ({ send }) => send(25, refused) },
  'receipts-stopped': {
    minutes: 45,
    act: (world) => inEach(15, 3, world, () => world.send(22, silent)),
  },
  spend: { minutes: 5, act: ({ send }) => send(30, delivered, { message: longText }) },
  'spend-caps': {
    limits: [{ endpoint: 'spend', per_day: 0.05 }],
    minutes: 5,
    act: ({ send }) => send(3, delivered),
  },
  'webhooks-late': {
    outages: [0, 5, 10].map((from) => ({ of: 'deliver-webhook', from, until: from + 2 })),
    minutes: 15,
    act: (world) =>
      inEach(5, 3, world, () => world.send(10, delivered, { webhook_url: endpointUrl('ok', 'late') })),
  },
  'webhooks-fail': {
    minutes: 20,
    act: (world) =>
      inEach(5, 4, world, () => world.send(10, delivered, { webhook_url: endpointUrl('down', 'fails') })),
  },
  'invalid-rows': {
    limits: [{ endpoint: 'POST /api/v1/sms/send', per_minute: 'many' }],
    minutes: 5,
    act: ({ send }) => send(1, delivered),
  },
};

/** Without a fault, no alarm may be on. */
const healthy: Case = {
  minutes: 45,
  act: (world) =>
    inEach(5, 9, world, () => world.send(12, delivered, { webhook_url: endpointUrl('ok', 'healthy') })),
};

interface Line {
  readonly atMs: number;
  readonly file: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const code = await loadedCode();

/** What the functions print in the world of a case. */
async function linesOf({ outages = [], limits = [], minutes, act }: Case): Promise<Line[]> {
  const lines: Line[] = [];
  const atMinute = (minute: number): number => startAt.getTime() + minute * minuteMs;
  const settings = {
    smsCarriers: ['aws'],
    onUnknown: usualOnUnknown,
    unknownDeadlines: usualUnknownDeadlines,
  };
  const stage = simulatedStage(withSettings(code.deployment, settings), code.functions, {
    seed: 1,
    severity: 0,
    calm: true,
    startAt,
    skewMaxMs: 0,
    indexLagMaxMs: 100,
    schedulesPerSecond: 1000,
    outages: outages.map(
      ({ of, from, until }): Outage => ({ of, fromMs: atMinute(from), untilMs: atMinute(until) }),
    ),
    ttlDelayMs: 0,
    carriersThrottle: false,
    smsCarriers: settings.smsCarriers,
    print(file, text) {
      for (const line of text.split('\n').filter((each) => each.startsWith('{')))
        lines.push({ atMs: stage.time.now(), file, fields: JSON.parse(line) });
    },
  });
  const plenty = ['POST /api/v1/sms/send', 'POST /api/v1/otp/send'].map((endpoint) => ({
    endpoint,
    per_minute: 1000,
    per_hour: 10_000,
    per_day: 100_000,
  }));
  const scene = await sceneOn(stage, {
    random: randomOf(1, 'scene'),
    clientCount: 1,
    skewMaxMs: 0,
    limits: [...plenty.filter(({ endpoint }) => limits.every((row) => row.endpoint !== endpoint)), ...limits],
    senders: [],
  });
  const [client] = scene.clients;
  let people = 0;
  const number = (digit: number): string => {
    people += 1;
    return `+4477009${String(people * 10 + digit).padStart(5, '0')}`;
  };
  const ask = async (route: 'sendSms' | 'sendOtp', count: number, body: () => object): Promise<void> => {
    await Promise.all(Array.from({ length: count }, () => scene.ask(client, { route, body: body() })));
  };
  const world: World = {
    sleep: stage.time.sleep,
    send: (count, digit, body = {}) =>
      ask('sendSms', count, () => ({ to: number(digit), message: 'A message', ...body })),
    sendPasswords: (count) => ask('sendOtp', count, () => ({ to: number(delivered) })),
  };
  const failures: unknown[] = [];
  act(world).catch((error: unknown) => failures.push(error));
  await stage.time.runUntil(atMinute(minutes));
  if (failures.length > 0) throw new AggregateError(failures, 'a step failed');
  return lines;
}

// biome-ignore lint/suspicious/noExplicitAny: templates have no types
type Properties = Record<string, any>;

// The amounts of a test are small.
const settings = { ...deployments.production, alarms: { spendPerDay: 10 } };
const template = Template.fromStack(
  new GatewayStack(new App({ builtinCloudFormationValidation: false }), settings),
).toJSON().Resources as Readonly<Record<string, { readonly Type: string; readonly Properties: Properties }>>;
const ofType = (type: string): Properties[] =>
  Object.values(template).flatMap(({ Type, Properties }) => (Type === type ? [Properties] : []));

interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** The values of a metric of the gateway's own: those that functions count, and those that a filter reads. */
function valuesOf(name: string, lines: readonly Line[]): Point[] {
  const counted = lines.flatMap(({ atMs, fields }) =>
    fields._aws !== undefined && typeof fields[name] === 'number' ? [{ atMs, value: fields[name] }] : [],
  );
  const read = ofType('AWS::Logs::MetricFilter').flatMap(
    ({ FilterPattern, LogGroupName, MetricTransformations: [to] }) =>
      to.MetricName !== name
        ? []
        : lines
            .filter(({ file, fields }) => logsTo(file, LogGroupName) && matches(FilterPattern, fields))
            .map(({ atMs, fields }) => ({
              atMs,
              value: Number(
                String(to.MetricValue).startsWith('$.') ? fields[to.MetricValue.slice(2)] : to.MetricValue,
              ),
            })),
  );
  return [...counted, ...read];
}

/** True if a function with this file writes to the log group. */
function logsTo(file: string, group: unknown): boolean {
  return ofType('AWS::Lambda::Function').some(
    ({ Description, LoggingConfig }) =>
      String(Description).endsWith(`: ${file}`) &&
      JSON.stringify(LoggingConfig.LogGroup) === JSON.stringify(group),
  );
}

/** A pattern of conditions that all hold: `{ ($.attempt = 1) && ($.lateness_ms >= 0) }`. */
function matches(pattern: string, fields: Line['fields']): boolean {
  const conditions = [...pattern.matchAll(/\$\.(\w+) (=|!=|>=) (?:"([^"]*)"|(\d+))/g)];
  if (conditions.length === 0) throw new Error(`a pattern without a condition: ${pattern}`);
  return conditions.every(([, field = '', operator, text, amount]) => {
    const value = fields[field];
    if (value === undefined || value === null) return false;
    if (text === undefined)
      return operator === '=' ? value === Number(amount) : Number(value) >= Number(amount);
    const isLike = new RegExp(`^${text.replaceAll('*', '.*')}$`).test(String(value));
    return isLike === (operator === '=');
  });
}

function statistic(name: string, values: readonly number[]): number | undefined {
  if (name === 'SampleCount') return values.length;
  if (values.length === 0) return undefined;
  if (name === 'Sum') return values.reduce((sum, value) => sum + value, 0);
  if (name === 'p95') return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1];
  throw new Error(`no statistic ${name}`);
}

interface Query {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: {
    readonly Metric: {
      readonly Namespace: string;
      readonly MetricName: string;
      readonly Dimensions: Properties[];
    };
    readonly Period: number;
    readonly Stat: string;
  };
}

/** The functions of metric math that the alarms use, on the values of one period. */
const metricMath = {
  SUM: (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0),
  MAX: (values: readonly number[]) => Math.max(...values),
  IF: (condition: boolean, yes: number, no: number) => (condition ? yes : no),
  FILL: (given: undefined | number | readonly (number | undefined)[], value: number) =>
    Array.isArray(given) ? given.map((each) => each ?? value) : (given ?? value),
};

/** The value of an alarm's expression in a period. */
function valueIn(queries: readonly Query[], lines: readonly Line[]): number {
  const values = new Map(
    queries.flatMap(({ Id, MetricStat }) => {
      if (MetricStat === undefined) return [];
      const { Metric, Stat } = MetricStat;
      if (Metric.Namespace === 'MessagingGateway')
        return [
          [
            Id,
            statistic(
              Stat,
              valuesOf(Metric.MetricName, lines).map(({ value }) => value),
            ),
          ] as const,
        ];
      // Each call prints a line at least, so there were as many calls as lines at most.
      const file = fileOf(Metric.Dimensions);
      const isCalls = Metric.MetricName === 'Invocations';
      return [[Id, isCalls ? lines.filter((line) => line.file === file).length : undefined] as const];
    }),
  );
  const { Expression } = queries.find((query) => query.Expression !== undefined) ?? {};
  if (Expression === undefined) return [...values.values()][0] ?? 0;
  const METRICS = (part: string) => [...values].flatMap(([id, value]) => (id.includes(part) ? [value] : []));
  const names = Object.keys(metricMath);
  const evaluate = new Function(...values.keys(), 'METRICS', ...names, `return ${Expression}`);
  return evaluate(...values.values(), METRICS, ...Object.values(metricMath));
}

/** The file of the function that a dimension names. */
function fileOf(dimensions: readonly Properties[]): string {
  const id = dimensions.find(({ Name }) => Name === 'FunctionName')?.Value.Ref;
  return String(template[id]?.Properties.Description).split(': ').at(-1) ?? '';
}

/** The alarms that go off with these lines, of those that read a metric of the gateway's own. */
function alarmsOn(lines: readonly Line[], minutes: number): string[] {
  return ofType('AWS::CloudWatch::Alarm').flatMap((alarm) => {
    const { MetricName, Namespace, Dimensions, Statistic, Period, Threshold } = alarm;
    const Metric = { MetricName, Namespace, Dimensions };
    const queries: readonly Query[] = alarm.Metrics ?? [
      { Id: 'only', MetricStat: { Metric, Period, Stat: Statistic } },
    ];
    const own = queries.filter(({ MetricStat }) => MetricStat?.Metric.Namespace === 'MessagingGateway');
    if (own.length === 0) return [];
    const periodMs = 1000 * (own[0]?.MetricStat?.Period ?? Period);
    const count = Math.ceil((minutes * minuteMs) / periodMs);
    const breaches = Array.from({ length: count }, (_, index) => {
      const fromMs = startAt.getTime() + index * periodMs;
      const some = lines.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + periodMs);
      return valueIn(queries, some) >= Threshold;
    });
    const evaluated: number = alarm.EvaluationPeriods;
    const needed: number = alarm.DatapointsToAlarm ?? evaluated;
    const goesOff = breaches.some(
      (_, end) => breaches.slice(Math.max(0, end + 1 - evaluated), end + 1).filter(Boolean).length >= needed,
    );
    return goesOff ? [String(alarm.AlarmName).replace('messaging-gateway-production-', '')] : [];
  });
}

const [only] = process.argv.slice(2);
const watched = ofType('AWS::CloudWatch::Alarm')
  .filter((alarm) => JSON.stringify(alarm).includes('"MessagingGateway"'))
  .map(({ AlarmName }) => String(AlarmName).replace('messaging-gateway-production-', ''));
const faults = watched.filter((name) => cases[name] === undefined).map((name) => `${name} has no case`);
for (const [name, one] of Object.entries({ ...cases, healthy })) {
  if (only !== undefined && only !== name) continue;
  const on = alarmsOn(await linesOf(one), one.minutes);
  console.log(`${name}: ${on.join(', ') || 'no alarm'}`);
  if (name === 'healthy' ? on.length > 0 : !on.includes(name))
    faults.push(`${name}: ${on.join(', ') || 'no alarm'}`);
}
for (const fault of faults) console.error(`FAULT ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
