/**
 * The alarms. Each alarm reports a symptom that clients or operators notice, whichever part has failed. Its runbook in
 * docs/operate.md has the same name. Facts that need no action are not alarms, but on dashboards and in `doctor`.
 */
import { Duration } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { FunctionName } from '../../shared/contract/function-uses.ts';
import type { StageMetric } from '../../shared/contract/metrics.ts';
import { sendFunctions } from '../../shared/contract/routes.ts';
import { countedMetric, createAlarm, type GatewayAlarm } from '../constructs/alarm.ts';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import type { Queues } from './grant-uses.ts';

const minute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);
const quarterHour = Duration.minutes(15);

/** Fewer failures in a minute cause no alarm, because clients and queues retry. */
const failuresMinimum = 3;
/** With fewer samples in a period, a percentile or percentage is not reliable. */
const samplesMinimum = 10;

/** The functions that work between the messages table and carriers, endpoints and receipts. */
const workers = ['relay-changes', 'dispatch-message', 'record-receipt', 'deliver-webhook'] as const;
/** The functions that run every minute. */
const clockFunctions = ['queue-due-rows', 'review-edited-rows'] as const;

interface AlarmsProps {
  readonly stage: StageSettings;
  /** The alarm `spend` goes off if a day's messages cost this amount or more. */
  readonly spendPerDay: number;
  readonly api: SpecRestApi;
  readonly queues: Queues;
}

type Metrics = Readonly<Record<string, IMetric>>;

export class Alarms extends Construct {
  readonly all: readonly GatewayAlarm[];
  /**
   * If one of these alarms goes off, CodeDeploy rolls back a canary. They show within minutes that new code fails or is
   * slow.
   */
  readonly ofReleases: readonly GatewayAlarm[];
  private readonly functions: readonly GatewayFunction[];
  private readonly props: AlarmsProps;

  /** Must be created after all functions, because it looks them up. */
  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.props = props;
    this.functions = scope.node.findAll().filter((construct) => construct instanceof GatewayFunction);
    this.ofReleases = this.releases();
    this.all = [
      ...this.ofReleases,
      ...this.sends(),
      ...this.passwords(),
      ...this.carriers(),
      ...this.webhooks(),
      ...this.background(),
    ];
  }

  private releases(): GatewayAlarm[] {
    const { stage, api } = this.props;
    return [
      createAlarm(this, 'sends-fail', stage, {
        // The number of calls includes token requests and verifications, because separate metrics for them would exceed an
        // alarm's limit.
        metric: this.failureShare('SendFailed', sendFunctions),
        threshold: 1,
        periods: 3,
        breachingPeriods: 2,
        meaning: '1 % or more of the sends failed in two of three minutes.',
      }),
      createAlarm(this, 'sends-slow', stage, {
        // Bulks are left out, because one of 1,000 recipients takes longer than a single send.
        metric: math(
          'MAX(METRICS())',
          this.each(
            'time',
            sendFunctions.filter((name) => name !== 'send-bulk-sms'),
            (each) => each.metricDuration({ statistic: 'p99' }),
          ),
          minute,
        ),
        threshold: 3000,
        periods: 5,
        breachingPeriods: 3,
        meaning: 'The slowest 1 % of single sends took 3 s or longer in three of five minutes.',
      }),
      createAlarm(this, 'requests-fail', stage, {
        // Each response counts as 0 or 1, so the average is the share of 5xx responses.
        metric: api.metricServerError({ period: minute, statistic: 'Average' }),
        threshold: 0.01,
        periods: 3,
        breachingPeriods: 2,
        meaning: '1 % or more of all responses were 5xx in two of three minutes.',
      }),
      createAlarm(this, 'work-fails', stage, {
        metric: this.failureShare('WorkFailed', workers),
        threshold: 1,
        periods: 3,
        breachingPeriods: 2,
        meaning: '1 % or more of the work behind the sends failed in two of three minutes; it is retried.',
      }),
    ];
  }

  private sends(): GatewayAlarm[] {
    const { stage, queues } = this.props;
    return [
      createAlarm(this, 'messages-wait', stage, {
        // A throttled message is queued again, so the age of its queue does not show how long it has waited.
        metric: math(
          'MAX([FILL(single, 0) / 600, FILL(bulk, 0) / 3600, FILL(throttled, 0) / 100])',
          {
            single: oldest(queues.outbound),
            bulk: oldest(queues['bulk-outbound']),
            throttled: countedMetric(stage, 'CarrierThrottle'),
          },
          fiveMinutes,
        ),
        periods: 2,
        meaning:
          'For ten minutes, a single send waited over 10 minutes, a bulk over an hour, or carriers throttled 100 messages in five minutes.',
      }),
    ];
  }

  private passwords(): GatewayAlarm[] {
    const { stage, queues } = this.props;
    return [
      createAlarm(this, 'passwords-late', stage, {
        metric: math(
          `MAX([FILL(age, 0) / 60, ${slowShare(5000)}])`,
          { age: oldest(queues['otp-outbound']), ...slowest(stage, 'OtpHandOverTime') },
          fiveMinutes,
        ),
        periods: 2,
        meaning:
          'For ten minutes, a one-time password waited over a minute, or 5 % reached their carrier after more than 5 s.',
      }),
      createAlarm(this, 'passwords-held', stage, {
        metric: countedMetric(stage, 'OtpHeld'),
        meaning:
          'Few one-time passwords of a client were verified. More passwords are held, unless the client never verifies any.',
      }),
    ];
  }

  private carriers(): GatewayAlarm[] {
    const { stage, queues, spendPerDay } = this.props;
    return [
      createAlarm(this, 'carrier-refusals', stage, {
        metric: countedMetric(stage, 'CarrierRefusal'),
        // A few refused numbers are normal. Many at once mean that a sender or an account is blocked.
        threshold: 20,
        meaning: 'Carriers refused 20 messages in five minutes.',
      }),
      createAlarm(this, 'receipts-stopped', stage, {
        metric: math(
          'MAX([FILL(age, 0) / 300, IF(FILL(sent, 0) >= 20, IF(FILL(reported, 0) < 1, 1, 0), 0)])',
          {
            age: oldest(queues.receipts),
            sent: countedMetric(stage, 'MessageCost').with({ statistic: 'SampleCount' }),
            reported: countedMetric(stage, 'ReceiptRecorded'),
          },
          quarterHour,
        ),
        periods: 2,
        meaning:
          'For half an hour, carriers accepted 20 messages in 15 minutes but reported nothing about any message, or their reports waited over five minutes.',
      }),
      createAlarm(this, 'spend', stage, {
        metric: countedMetric(stage, 'MessageCost', Duration.days(1)),
        threshold: spendPerDay,
        meaning: `Messages cost ${spendPerDay} ${stage.prices.currency} or more in a day.`,
      }),
      createAlarm(this, 'spend-caps', stage, {
        metric: countedMetric(stage, 'SpendCapReached'),
        meaning: 'A client has reached its spend cap: its sends are refused until the day or month ends.',
      }),
    ];
  }

  private webhooks(): GatewayAlarm[] {
    const { stage, queues } = this.props;
    return [
      createAlarm(this, 'webhooks-late', stage, {
        // A retry may wait in its queue for ten minutes.
        metric: math(
          `MAX([FILL(age, 0) / 1200, ${slowShare(30_000)}])`,
          { age: oldest(queues.webhooks), ...slowest(stage, 'WebhookFirstAttemptTime') },
          fiveMinutes,
        ),
        periods: 2,
        meaning:
          'For ten minutes, a webhook waited over 20 minutes, or 5 % were attempted after more than 30 s.',
      }),
      createAlarm(this, 'webhooks-fail', stage, {
        metric: math(
          `IF(FILL(count, 0) >= ${samplesMinimum}, 100 * FILL(failed, 0) / count, 0)`,
          {
            count: countedMetric(stage, 'WebhookFirstAttemptTime').with({ statistic: 'SampleCount' }),
            failed: countedMetric(stage, 'WebhookFirstAttemptFailed'),
          },
          fiveMinutes,
        ),
        threshold: 50,
        periods: 3,
        meaning: 'Half of the first attempts of webhooks failed, for 15 minutes.',
      }),
    ];
  }

  private background(): GatewayAlarm[] {
    const { stage, queues } = this.props;
    return [
      createAlarm(this, 'streams-behind', stage, {
        metric: math(
          'MAX([FILL(relay, 0) / 60000, FILL(usage, 0) / 600000])',
          {
            relay: this.functionOf('relay-changes').metric('IteratorAge', { statistic: 'Maximum' }),
            usage: this.functionOf('count-usage').metric('IteratorAge', { statistic: 'Maximum' }),
          },
          minute,
        ),
        periods: 6,
        breachingPeriods: 4,
        meaning:
          'In four of six minutes, messages and webhooks started over a minute late, or usage was over ten minutes behind.',
      }),
      createAlarm(this, 'clock-stopped', stage, {
        metric: math(
          `IF(MIN([${clockFunctions.map((_, i) => `FILL(calls_${i}, 0) - FILL(errors_${i}, 0)`).join(', ')}]) < 1, 1, 0)`,
          {
            ...this.each('calls', clockFunctions, (each) => each.metricInvocations()),
            ...this.each('errors', clockFunctions, (each) => each.metricErrors()),
          },
          fiveMinutes,
        ),
        periods: 3,
        alsoWithoutData: true,
        meaning: `No run of ${clockFunctions.join(', ')}, or of one of them, succeeded in 15 minutes.`,
      }),
      createAlarm(this, 'dead-letters', stage, {
        metric: math(
          'MAX([MAX(METRICS("letters")), FILL(oldest, 0) / 3600])',
          {
            // Every ten minutes, the relay retries the records that it has set aside.
            oldest: oldest(queues['relay-dead-letter']),
            ...numbered(
              'letters',
              Object.values(queues).flatMap(
                ({ deadLetters }) => deadLetters?.metricApproximateNumberOfMessagesVisible() ?? [],
              ),
            ),
          },
          fiveMinutes,
        ),
        meaning: 'Work failed repeatedly and was set aside, or the relay set aside work over an hour ago.',
      }),
      createAlarm(this, 'invalid-rows', stage, {
        metric: countedMetric(stage, 'InvalidRow'),
        meaning: 'A row of limits, senders or usage is invalid: the gateway ignores it.',
      }),
    ];
  }

  /**
   * Returns the percentage of failed calls: errors that Lambda counts, and failures that functions count themselves. The
   * latter may include other functions, so there may be more failures than calls.
   */
  private failureShare(counted: StageMetric, names: readonly FunctionName[]): MathExpression {
    const sum = (group: string) => `SUM(FILL(METRICS("${group}"), 0))`;
    const [failed, calls] = [sum('failed'), sum('calls')];
    return math(
      `IF(${failed} >= ${failuresMinimum}, 100 * ${failed} / (${failed} + ${calls}), 0)`,
      {
        failed: countedMetric(this.props.stage, counted),
        ...this.each('failed', names, (each) => each.metricErrors()),
        ...this.each('calls', names, (each) => each.metricInvocations()),
      },
      minute,
    );
  }

  private each(
    prefix: string,
    names: readonly FunctionName[],
    metricOf: (each: GatewayFunction) => IMetric,
  ): Metrics {
    return numbered(
      prefix,
      names.map((name) => metricOf(this.functionOf(name))),
    );
  }

  private functionOf(name: FunctionName): GatewayFunction {
    const found = this.functions.find(({ functionFile }) => functionFile === name);
    if (found === undefined) throw new Error(`the gateway has no function ${name}`);
    return found;
  }
}

/**
 * Returns a metric expression. Use `FILL` for metrics that have no data in quiet times. `FILL` may fill the latest minute
 * before its data arrives, so an alarm with periods of a minute must not require all periods (Amazon CloudWatch, "Using
 * math expressions", FILL).
 */
function math(expression: string, usingMetrics: Metrics, period: Duration): MathExpression {
  return new MathExpression({ expression, usingMetrics, period });
}

function numbered(prefix: string, metrics: readonly IMetric[]): Metrics {
  return Object.fromEntries(metrics.map((metric, index) => [`${prefix}_${index}`, metric]));
}

function oldest({ queue }: Queues[keyof Queues]): Metric {
  return queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum' });
}

/** Returns a time's 95th percentile, and the number of samples. */
function slowest(stage: StageSettings, name: 'OtpHandOverTime' | 'WebhookFirstAttemptTime'): Metrics {
  const time = countedMetric(stage, name);
  return { time: time.with({ statistic: 'p95' }), count: time.with({ statistic: 'SampleCount' }) };
}

/** Returns the part of an expression that is 1 or more if the time from `slowest` exceeds the limit. */
function slowShare(limitMs: number): string {
  return `IF(FILL(count, 0) >= ${samplesMinimum}, FILL(time, 0) / ${limitMs}, 0)`;
}
