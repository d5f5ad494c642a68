/**
 * The objectives of the service: the share of requests without a 5xx, and of one-time passwords and webhooks that are in time.
 * Each has an alarm on its burn rate, and a graph on the CloudWatch dashboard.
 */
import { Duration } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { GraphWidget, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { LoggedMetric } from '../../shared/contract/metrics.ts';
import { countedMetric } from '../constructs/alarm.ts';
import { BurnRateAlarm, type ObjectiveMetric } from '../constructs/burn-rate-alarm.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

/** A third of the width of a dashboard. */
const third = 8;

export class ServiceObjectives extends Construct {
  /** The graphs, each with the share of the last hours and the objective. */
  readonly widgets: readonly GraphWidget[];

  constructor(scope: Construct, id: string, stage: StageSettings, api: SpecRestApi) {
    super(scope, id);
    const { availability, otpHandOver, firstWebhook } = stage.objectives;
    const objectives = [
      {
        name: 'availability',
        title: 'Requests without a 5xx',
        objective: availability,
        // Each response counts as 0 or 1, so the average is the fraction of 5xx responses.
        measured: { metric: api.metricServerError({ statistic: 'Average' }), failures: '100 * share' },
        meaning: `Too many responses are 5xx for the objective of ${percent(availability)} without.`,
      },
      {
        name: 'otp-hand-over',
        title: `One-time passwords handed over in ${otpHandOver.seconds} s`,
        objective: otpHandOver.share,
        measured: inTime(stage, 'OtpHandOverTime', otpHandOver.seconds),
        meaning: `Too few one-time passwords are handed over in ${otpHandOver.seconds} s for the objective of ${percent(otpHandOver.share)}.`,
      },
      {
        name: 'first-webhook',
        title: `First attempts of webhooks in ${firstWebhook.seconds} s`,
        objective: firstWebhook.share,
        measured: inTime(stage, 'WebhookFirstAttemptTime', firstWebhook.seconds),
        meaning: `Too few webhooks are attempted in ${firstWebhook.seconds} s for the objective of ${percent(firstWebhook.share)}.`,
      },
    ] as const;
    if (stage.alarms) for (const each of objectives) new BurnRateAlarm(this, `slo-${each.name}`, stage, each);
    this.widgets = objectives.map(({ title, measured, objective }) =>
      graph(`${title} (${stage.name})`, measured, objective),
    );
  }
}

/** What is not within the time has failed. */
function inTime(stage: StageSettings, name: LoggedMetric, seconds: number): ObjectiveMetric {
  const statistic = Stats.percentileRank(1000 * seconds);
  return { metric: countedMetric(stage, name).with({ statistic }), failures: '100 - share' };
}

function graph(title: string, { metric, failures }: ObjectiveMetric, objective: number): GraphWidget {
  const succeeded = new MathExpression({
    expression: `100 - (${failures})`,
    usingMetrics: { share: metric },
    period: Duration.hours(1),
    label: 'in an hour',
  });
  return new GraphWidget({
    title,
    left: [succeeded],
    leftYAxis: { max: 100, label: '%', showUnits: false },
    leftAnnotations: [{ value: Number((100 * objective).toPrecision(6)), label: 'objective' }],
    width: third,
  });
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(6))} %`;
}
