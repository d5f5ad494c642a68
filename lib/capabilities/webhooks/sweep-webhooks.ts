/**
 * The function that finds deliveries that a queue or schedule lost, and continues requests to resend many webhooks,
 * every minute.
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
