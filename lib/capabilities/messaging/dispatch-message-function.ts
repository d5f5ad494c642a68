/** The function that hands messages over to the carriers. */
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { carriersIn } from '../../../shared/contract/channels.ts';
import { handOverTimeoutSeconds } from '../../../shared/contract/hand-over-times.ts';
import { readFromLog } from '../../constructs/alarm.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import { Carriers } from './carrier-access.ts';
import type { OutboundQueues } from './outbound-queues.ts';

/** @returns the topic of receipts; undefined if all carriers are simulated */
export function createDispatchMessage(
  scope: Construct,
  props: {
    readonly stage: StageSettings;
    readonly outbound: OutboundQueues;
    readonly receipts: GatewayQueue;
  },
): Topic | undefined {
  const { stage, outbound, receipts } = props;
  const dispatch = new GatewayFunction(scope, 'DispatchMessage', {
    stage,
    functionName: 'dispatch-message',
    timeoutSeconds: handOverTimeoutSeconds,
    // A message that must wait is sent back to the queue. This loop is intended, and ends when the message expires. By
    // default, Lambda stops such a loop after 16 rounds.
    recursiveLoop: true,
  });
  const isAws = [stage.smsCarrier, stage.whatsappCarrier].flatMap(carriersIn).includes('aws');
  const carriers = isAws ? new Carriers(scope, 'Carriers', { stage, dispatch, receipts }) : undefined;
  outbound.feed(dispatch);
  readFromLog(dispatch, 'MessageCost', FilterPattern.exists('$.cost'), '$.cost');
  readFromLog(dispatch, 'OtpHandOverTime', FilterPattern.exists('$.otp_ms'), '$.otp_ms');
  return carriers?.topic;
}
