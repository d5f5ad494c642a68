/** The function that expires messages without a final receipt, and queues again what a queue or the relay lost: every minute. */
import type { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { CapabilityProps } from '../capability-props.ts';
import type { OutboundQueues } from './outbound-queues.ts';
import type { RelayDeadLetters } from './relay-dead-letters.ts';

interface ExpireProps extends CapabilityProps {
  readonly outbound: OutboundQueues;
  readonly deadLetters: RelayDeadLetters;
}

export function createExpireMessages(scope: Construct, props: ExpireProps): void {
  const { stage, storage, schedules, outbound, deadLetters } = props;
  const expire = new GatewayFunction(scope, 'ExpireMessages', {
    stage,
    functionName: 'expire-messages',
    timeoutSeconds: 50,
  });
  // A message whose queue message was lost is queued again until it expires.
  outbound.grantSend(expire);
  storage.grant(expire, 'due-items', 'Query', 'PutItem', 'BatchWriteItem');
  storage.grant(expire, 'messages', 'GetItem', 'BatchGetItem', 'UpdateItem');
  // The function lists the messages of all clients, to find those that the relay did not pass on.
  storage.grantIndex(expire, 'messages', 'by-client');
  storage.grant(expire, 'clients', 'Scan');
  deadLetters.grantSetAside(expire);
  schedules.everyMinute(expire);
}
