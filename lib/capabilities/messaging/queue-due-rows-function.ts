/** The function that queues due messages and webhooks, every minute. */
import type { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { CapabilityProps } from '../grant-uses.ts';

export function createQueueDueRows(scope: Construct, { stage, schedules }: CapabilityProps): void {
  const queueDueRows = new GatewayFunction(scope, 'QueueDueRows', {
    stage,
    functionName: 'queue-due-rows',
    isTraced: false,
    timeoutSeconds: 50,
  });
  schedules.everyMinute(queueDueRows);
}
