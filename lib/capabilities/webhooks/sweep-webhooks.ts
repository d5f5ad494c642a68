/**
 * The function that runs every minute to find deliveries that a queue or schedule lost, and to continue resends of many
 * webhooks.
 */
import type { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { CapabilityProps } from '../grant-uses.ts';

export function createSweepWebhooks(scope: Construct, { stage, schedules }: CapabilityProps): void {
  const sweep = new GatewayFunction(scope, 'SweepWebhooks', {
    stage,
    functionName: 'sweep-webhooks',
    isTraced: false,
    timeoutSeconds: 50,
  });
  schedules.everyMinute(sweep);
}
