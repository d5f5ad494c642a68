/**
 * The function that finds deliveries that a queue or schedule lost, and continues requests to resend many webhooks,
 * every minute.
 */
import type { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { CapabilityProps } from '../capability-props.ts';
import type { WebhookLanes } from './webhook-lanes.ts';

interface SweepProps extends CapabilityProps {
  readonly lanes: WebhookLanes;
}

export function createSweepWebhooks(scope: Construct, props: SweepProps): GatewayFunction {
  const { stage, storage, schedules, lanes } = props;
  const sweep = new GatewayFunction(scope, 'SweepWebhooks', {
    stage,
    functionName: 'sweep-webhooks',
    timeoutSeconds: 50,
  });
  storage.grant(sweep, 'due-items', 'Query', 'PutItem', 'BatchWriteItem');
  // The other actions continue requests to resend many webhooks.
  storage.grant(sweep, 'webhook-deliveries', 'GetItem', 'BatchGetItem', 'PutItem');
  storage.grant(sweep, 'messages', 'GetItem', 'BatchGetItem');
  storage.grantIndex(sweep, 'messages', 'by-client');
  storage.grant(sweep, 'activity-log', 'Query');
  storage.grantIndex(sweep, 'activity-log', 'by-client');
  storage.grant(sweep, 'clients', 'GetItem');
  // UpdateItem records that the notice of a disabled endpoint was sent.
  storage.grant(sweep, 'webhook-endpoints', 'GetItem', 'Query', 'UpdateItem');
  lanes.grantEnqueue(sweep);
  schedules.everyMinute(sweep);
  return sweep;
}
