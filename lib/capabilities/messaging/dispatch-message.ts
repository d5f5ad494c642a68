/** The function that hands messages over to the carriers, what it may do, and the alarms about carriers and spend. */
import { Duration } from 'aws-cdk-lib';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { dispatchTimeoutSeconds } from '../../../shared/contract/hand-over-times.ts';
import { messageCostMetric, metricNamespace } from '../../../shared/contract/metrics.ts';
import type { EnvironmentName } from '../../../shared/platform/env.ts';
import { countedMetric, createAlarm } from '../../constructs/alarm.ts';
import { GatewayFunction, pricesFile } from '../../constructs/gateway-function.ts';
import type { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { CapabilityProps } from '../capability-props.ts';
import type { OtpSecret } from '../otp-secret.ts';
import type { Storage } from '../storage/storage.ts';
import { Carriers } from './carriers.ts';
import type { OutboundQueues } from './outbound-queues.ts';

interface DispatchProps extends CapabilityProps {
  readonly otpSecret: OtpSecret;
  readonly outbound: OutboundQueues;
  readonly receipts: GatewayQueue;
}

/** A few refused numbers are normal; many at once mean a blocked sender or account. */
const carrierRefusals = 20;
/** Throttling by a burst ends within minutes; a throttled message is delayed by at most five. */
const carrierThrottles = 100;

export function createDispatchMessage(scope: Construct, props: DispatchProps): void {
  const { stage, storage, schedules, otpSecret, outbound, receipts } = props;
  const dispatch = new GatewayFunction(scope, 'DispatchMessage', {
    stage,
    functionName: 'dispatch-message',
    timeoutSeconds: dispatchTimeoutSeconds,
    settings: ['STAGE_CAPS', ...carrierSettings(stage)],
    // The function queues a message that must wait again. This loop is intended and ends when the message expires;
    // Lambda would stop it after 16 rounds.
    recursiveLoop: true,
    hasPrices: true,
  });
  dispatch.setVariables({ PRICES_FILE: pricesFile });
  storage.grant(dispatch, 'messages', 'UpdateItem');
  grantStartOfLegs(dispatch, storage);
  storage.grant(dispatch, 'clients', 'GetItem');
  storage.grant(dispatch, 'sender-pace', 'GetItem', 'PutItem');
  storage.grant(dispatch, 'suppressions', 'GetItem', 'UpdateItem');
  storage.grant(dispatch, 'whatsapp-windows', 'GetItem', 'PutItem');
  // The function derives the code of a one-time password at the hand-over.
  otpSecret.grantRead(dispatch);
  outbound.grantSend(dispatch);
  if (storage.has('simulator-outbox')) {
    storage.grant(dispatch, 'simulator-outbox', 'PutItem');
    // The simulated carrier sends receipts to the same queue as a real one.
    receipts.grantSend(dispatch);
  }
  if (stage.smsCarrier === 'aws' || stage.whatsappCarrier === 'aws') {
    new Carriers(scope, 'Carriers', { stage, storage, schedules, dispatch, receipts });
  }
  outbound.feed(dispatch);
  createCarrierAlarms(scope, stage, dispatch);
}

/** A leg of a send with `fallback` is stored if no earlier leg is delivered, and counts as a message of the client. */
function grantStartOfLegs(dispatch: GatewayFunction, storage: Storage): void {
  storage.grant(dispatch, 'messages', 'GetItem', 'BatchGetItem', 'PutItem', 'ConditionCheckItem');
  storage.grant(dispatch, 'limit-overrides', 'Query');
  storage.grant(dispatch, 'rate-counters', 'UpdateItem');
  // A reached spend cap is recorded.
  storage.grant(dispatch, 'activity-log', 'PutItem');
  storage.grant(dispatch, 'one-time-passwords', 'GetItem', 'PutItem', 'UpdateItem');
  storage.grant(dispatch, 'otp-holds', 'Query');
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

/** Returns the variables of the carriers that this stage uses. */
function carrierSettings(stage: StageSettings): EnvironmentName[] {
  return [
    'SMS_CARRIER',
    'WHATSAPP_CARRIER',
    ...(stage.smsCarrier === 'aws'
      ? (['SMS_ORIGINATION_IDENTITY', 'SMS_CONFIGURATION_SET', 'SMS_PROTECT_CONFIGURATION'] as const)
      : []),
    ...(stage.whatsappCarrier === 'aws'
      ? (['WHATSAPP_PHONE_NUMBER_ID', 'META_API_VERSION', 'WHATSAPP_OTP_TEMPLATE'] as const)
      : []),
  ];
}
