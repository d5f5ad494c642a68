/** Follows a message that the reader sent: its states, and the webhooks of each with their bodies and attempts. */
import { announce, codeOf, element } from './elements.ts';
import { indented, read } from './send-request.ts';

/** Two requests each, which count on the limits of the client: at most a minute long. */
const delaysMs = [500, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 10_000, 12_000, 12_000];
const finalStatuses = ['delivered', 'read', 'failed', 'expired', 'canceled'];
const finished = ['acknowledged', 'failed'];

interface Delivery {
  readonly delivery_id: string;
  readonly event: string;
  readonly url: string;
  readonly state: string;
  readonly attempts: number;
  readonly created_at: string;
  readonly last_status: number | null;
  readonly last_error: string | null;
}

export async function follow(
  messageId: string,
  token: string,
  panel: HTMLElement,
  signal: AbortSignal,
): Promise<void> {
  const bodies = new Map<string, string>();
  let said = '';
  for (const delayMs of delaysMs) {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    const [message, list] = await Promise.all([
      read(`/api/v1/sms/status/${messageId}`, token),
      read(`/api/v1/webhook-deliveries?message_id=${messageId}&limit=20`, token),
    ]);
    const deliveries = ((list?.webhook_deliveries ?? []) as readonly Delivery[]).toSorted((one, other) =>
      one.created_at < other.created_at ? -1 : 1,
    );
    const unread = deliveries.filter(({ delivery_id }) => !bodies.has(delivery_id));
    await Promise.all(
      unread.map(async ({ delivery_id }) => {
        const body = await bodyOf(delivery_id, token);
        if (body !== undefined) bodies.set(delivery_id, body);
      }),
    );
    if (signal.aborted) return;
    const status = String(message?.status ?? 'unknown');
    const isFinal = finalStatuses.includes(status);
    const isDone =
      isFinal && deliveries.every((one) => finished.includes(one.state) && bodies.has(one.delivery_id));
    // Webhooks follow the state within a moment.
    const isWithout = deliveries.length === 0 && isFinal && said !== '';
    const title = `The message is ${status}`;
    panel.replaceChildren(
      element('h4', {}, title),
      ...deliveries.map((delivery) => webhook(delivery, bodies.get(delivery.delivery_id) ?? '')),
      ...(deliveries.length > 0 ? [] : [element('p', {}, isWithout ? noWebhook : 'No webhook yet.')]),
    );
    if (isFinal && said !== title) announce(title);
    if (isFinal) said = title;
    if (isWithout || (isDone && deliveries.length > 0)) return;
  }
  panel.append(element('p', {}, 'It is not followed any further.'));
}

const noWebhook =
  'It has no webhooks: neither the request nor the account has a webhook_url, and no endpoint takes its events.';

function webhook(
  { event, url, state, attempts, last_status, last_error }: Delivery,
  body: string,
): HTMLElement {
  const result = last_status === null ? (last_error ?? '') : `HTTP ${last_status}`;
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  return element(
    'div',
    { class: 'webhook' },
    element('p', {}, element('b', {}, event), ` ${state}`),
    element('p', { class: 'quiet' }, [`POST ${url}`, times, result].filter(Boolean).join(' · ')),
    codeOf(`Body of ${event}`, body),
  );
}

/** Undefined where it cannot be read now. */
async function bodyOf(deliveryId: string, token: string): Promise<string | undefined> {
  const delivery = await read(`/api/v1/webhook-deliveries/${deliveryId}`, token);
  return delivery === undefined ? undefined : indented(String(delivery.body));
}
