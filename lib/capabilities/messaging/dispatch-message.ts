/** The function that hands messages over to the carriers, and the alarms about carriers and spend. */
import { Duration } from 'aws-cdk-lib';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { carriersIn } from '../../../shared/contract/channels.ts';
import { type LoggedMetric, messageCostMetric, metricNamespace } from '../../../shared/contract/metrics.ts';
import { countedMetric, createAlarm } from '../../constructs/alarm.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { CapabilityProps } from '../grant-uses.ts';
import { Carriers } from './carriers.ts';
import { dispatchTimeoutSeconds, type OutboundQueues } from './outbound-queues.ts';

interface DispatchProps extends CapabilityProps {
  readonly outbound: OutboundQueues;
  readonly receipts: GatewayQueue;
}

/** A few refused numbers are normal; many at once mean a blocked sender or account. */
const carrierRefusals = 20;
/** Throttling by a burst ends within minutes; a throttled message is delayed by at most five. */
const carrierThrottles = 100;

/** @returns the topic of receipts; undefined where no carrier is real */
export function createDispatchMessage(scope: Construct, props: DispatchProps): Topic | undefined {
  const { stage, storage, schedules, outbound, receipts } = props;
  const dispatch = new GatewayFunction(scope, 'DispatchMessage', {
    stage,
    functionName: 'dispatch-message',
    timeoutSeconds: dispatchTimeoutSeconds,
    // The function queues a message that must wait again. This loop is intended and ends when the message expires;
    // Lambda would stop it after 16 rounds.
    recursiveLoop: true,
  });
  const isAws = [stage.smsCarrier, stage.whatsappCarrier].flatMap(carriersIn).includes('aws');
  const carriers = isAws
    ? new Carriers(scope, 'Carriers', { stage, storage, schedules, dispatch, receipts })
    : undefined;
  outbound.feed(dispatch);
  createCarrierAlarms(scope, stage, dispatch);
  return carriers?.topic;
}

function createCarrierAlarms(scope: Construct, stage: StageSettings, dispatch: GatewayFunction): void {
  createAlarm(scope, 'CarrierRefusals', {
    stage,
    metric: countedMetric(stage, 'CarrierRefusal'),
    threshold: carrierRefusals,
    meaning: `Carriers refused ${carrierRefusals} messages in five minutes.`,
    runbook: 'carrier-refusals',
  });
  // Throttled messages are queued again, so the age of the oldest message does not show them.
  createAlarm(scope, 'CarrierThrottles', {
    stage,
    metric: countedMetric(stage, 'CarrierThrottle'),
    threshold: carrierThrottles,
    periods: 3,
    meaning: `Carriers throttled ${carrierThrottles} messages in five minutes, three times in a row.`,
    runbook: 'carrier-throttles',
  });
  // Read from the log line that each hand-over writes anyway; a metric of its own would cost another line.
  const spend = new MetricFilter(scope, 'Spend', {
    logGroup: dispatch.logGroup,
    metricNamespace,
    metricName: messageCostMetric,
    filterPattern: FilterPattern.exists('$.cost'),
    metricValue: '$.cost',
    dimensions: { service: '$.service' },
  });
  new MetricFilter(scope, 'OtpHandOverTime', {
    logGroup: dispatch.logGroup,
    metricNamespace,
    metricName: 'OtpHandOverTime' satisfies LoggedMetric,
    filterPattern: FilterPattern.exists('$.otp_ms'),
    metricValue: '$.otp_ms',
    dimensions: { service: '$.service' },
  });
  createAlarm(scope, 'SpendAlarm', {
    stage,
    metric: spend.metric({
      statistic: 'Sum',
      period: Duration.days(1),
      dimensionsMap: { service: stage.stackName },
    }),
    threshold: stage.spendAlarmPerDay,
    meaning: `Messages cost more than ${stage.spendAlarmPerDay} ${stage.prices.currency} in a day.`,
    runbook: 'spend',
  });
}
