/**
 * The function that runs every minute to expire messages without a final receipt, and to queue messages that a queue or the
 * relay lost.
 */
import type { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { CapabilityProps } from '../grant-uses.ts';
import type { RelayDeadLetters } from './relay-dead-letters.ts';

export function createExpireMessages(
  scope: Construct,
  { stage, schedules }: CapabilityProps,
  lostRecords: RelayDeadLetters,
): void {
  const expire = new GatewayFunction(scope, 'ExpireMessages', {
    stage,
    functionName: 'expire-messages',
    isTraced: false,
    timeoutSeconds: 50,
  });
  lostRecords.grantReceive(expire);
  schedules.everyMinute(expire);
}
