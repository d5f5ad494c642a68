/** An administrator's search for messages, and one message with its history and its webhooks. */
import { GatewayError } from '../contract/errors.ts';
import { eventsToSend, type Message } from '../message/message.ts';
import type { MessagePage, MessageStatus } from '../message/message-response.schema.ts';
import { statusView } from '../message/message-response.ts';
import { isId } from '../platform/ids.ts';
import type { WebhookEndpoint } from '../webhook/endpoints/webhook-endpoint.ts';
import { deliveryIdOf } from '../webhook/plan/delivery-due-item.ts';
import { eventName } from '../webhook/plan/event-body.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { clientIdOf } from './clients.ts';
import { messageFilterOf } from './http/admin-requests.ts';
import { type DeliverySummary, deliverySummary } from './webhooks.ts';

export async function searchMessages(
  dependencies: AdminDependencies,
  query: Parameters<typeof messageFilterOf>[0],
  limit: number,
  cursor: string | undefined,
): Promise<MessagePage> {
  const asked = messageFilterOf(query);
  const filter =
    'clientId' in asked ? { ...asked, clientId: await clientIdOf(dependencies, asked.clientId) } : asked;
  const { messages, nextCursor } = await dependencies.messages.search(filter, limit, cursor);
  return {
    messages: messages.map(statusView),
    ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }),
  };
}

export interface MessageDetails {
  readonly message: MessageStatus & { readonly webhook_url: string | null };
  readonly webhooks: readonly DeliverySummary[];
}

/** @throws GatewayError `not_found` */
export async function showMessage(
  dependencies: AdminDependencies,
  messageId: string,
): Promise<MessageDetails> {
  const message = isId('msg', messageId) ? await dependencies.messages.get(messageId) : undefined;
  if (message === undefined) throw new GatewayError('not_found', 'There is no such message.');
  const deliveries = await dependencies.deliveries.getMany(
    deliveryIdsOf(message, await dependencies.endpoints.list(message.client_id)),
  );
  return {
    message: { ...statusView(message), webhook_url: message.webhook_url ?? null },
    webhooks: deliveries
      .map(deliverySummary)
      .toSorted((one, other) => one.created_at.localeCompare(other.created_at)),
  };
}

/** The ids of the webhooks that the message may have: derived from the message, the event, and the client's endpoints. */
function deliveryIdsOf(message: Message, endpoints: readonly WebhookEndpoint[]): string[] {
  const entered = eventsToSend({ before: undefined, after: message });
  const events = new Set(entered.map((status) => eventName(message, status)));
  const destinations = [undefined, ...endpoints.map(({ endpoint_id }) => endpoint_id)];
  return [...events].flatMap((event) =>
    destinations.map((endpointId) => deliveryIdOf({ messageId: message.message_id, event, endpointId })),
  );
}
