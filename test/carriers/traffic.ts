/** Sends the messages of a run, and waits until each has its last state. */
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../shared/contract/channels.ts';
import type { RunningGateway } from './gateway.ts';

const sendsAtOnce = 12;
const sendTries = 30;
const lookEveryMs = 3000;
const pageSize = 100;

export type OnUnknown = 'wait' | 'send_again';

export interface Sent {
  readonly messageId: string;
  readonly to: string;
  readonly text: string;
  readonly onUnknown: OnUnknown;
}

export interface Settled {
  readonly message_id: string;
  readonly status: string;
  readonly carrier?: string | null;
  readonly attempts?: readonly { readonly carrier: string; readonly outcome: string }[];
  readonly possible_duplicate?: boolean;
  readonly cost?: number | null;
  readonly currency?: string | null;
  readonly error?: { readonly code: string } | null;
}

const final: readonly string[] = ['delivered', 'read', 'failed', 'expired'];
/** The stage that is certified sends these kinds of messages again, or waits for their receipts (`certify.ts`). */
const kinds = [
  { type: 'transactional', onUnknown: 'wait' },
  { type: 'promotional', onUnknown: 'send_again' },
] as const;

const paths: Readonly<Record<Channel, string>> = {
  sms: '/api/v1/sms/send',
  whatsapp: '/api/v1/whatsapp/send',
};

/** A range of British mobile numbers: nothing is sent there, because the carriers are doubles. */
const recipientOf = (index: number): string => `+44795${String(4_000_000 + index)}`;

export async function sendAll(
  gateway: RunningGateway,
  channel: Channel,
  count: number,
  validitySeconds: number,
): Promise<readonly Sent[]> {
  const sent: Sent[] = [];
  let next = 0;
  const sendNext = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++)
      sent.push(await sendOne(gateway, channel, index, validitySeconds));
  };
  await Promise.all(Array.from({ length: sendsAtOnce }, sendNext));
  return sent;
}

async function sendOne(
  gateway: RunningGateway,
  channel: Channel,
  index: number,
  validity_period: number,
): Promise<Sent> {
  const to = recipientOf(index);
  const text = `Message ${index}`;
  const { type, onUnknown } = kinds[index % 2 === 0 ? 0 : 1];
  const body = { to, message: text, validity_period, type };
  let last = '';
  for (let tries = 0; tries < sendTries; tries += 1) {
    try {
      const headers = { 'Idempotency-Key': `carriers-${index}` };
      const response = await gateway.call('POST', paths[channel], body, headers);
      const answer = (await response.json()) as { readonly message_id?: string };
      if (answer.message_id !== undefined) return { messageId: answer.message_id, to, text, onUnknown };
      last = `${response.status} ${JSON.stringify(answer)}`;
      if (response.status < 500 && response.status !== 429) break;
    } catch (error) {
      last = String(error);
    }
    await pause(1000);
  }
  throw new Error(`message ${index} was not accepted: ${last}`);
}

/** All messages, each in its last state, or as it is when the time is up. */
export async function settledWithin(
  gateway: RunningGateway,
  count: number,
  seconds: number,
): Promise<readonly Settled[]> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const messages = await allMessages(gateway);
    const open = messages.filter(({ status }) => !final.includes(status)).length;
    if ((open === 0 && messages.length >= count) || Date.now() > deadline) return messages;
    await pause(lookEveryMs);
  }
}

/** What the usage of the client says, by currency: of all its messages, which are those of the run. */
export interface Usage {
  readonly messages: number;
  readonly delivered: number;
  readonly failed: number;
  readonly possible_duplicates: number;
  readonly costs: Readonly<Record<string, number>>;
}

/** Usage is counted from a stream, so it is asked for until it has what the messages have, or the time is up. */
export async function usageWithin(
  gateway: RunningGateway,
  settled: readonly Settled[],
  seconds: number,
): Promise<{ readonly counted: Usage; readonly expected: Usage }> {
  const expected = usageOf(settled);
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const counted = await readUsage(gateway);
    if (isDeepStrictEqual(counted, expected) || Date.now() > deadline) return { counted, expected };
    await pause(lookEveryMs);
  }
}

export function usageOf(settled: readonly Settled[]): Usage {
  const count = (isCounted: (message: Settled) => boolean) => settled.filter(isCounted).length;
  return {
    messages: settled.length,
    delivered: count(({ status }) => status === 'delivered' || status === 'read'),
    failed: count(({ status }) => status === 'failed'),
    possible_duplicates: count(({ possible_duplicate }) => possible_duplicate === true),
    costs: sums(settled.map(({ cost, currency }) => [currency ?? '', cost ?? 0])),
  };
}

async function readUsage(gateway: RunningGateway): Promise<Usage> {
  const response = await gateway.call('GET', '/api/v1/account/usage?interval=day');
  const { currency, usage } = (await response.json()) as {
    readonly currency: string;
    readonly usage: readonly (Omit<Usage, 'costs'> & {
      readonly cost: number;
      readonly other_costs?: Readonly<Record<string, number>>;
    })[];
  };
  const sum = (name: 'messages' | 'delivered' | 'failed' | 'possible_duplicates') =>
    usage.reduce((total, day) => total + day[name], 0);
  return {
    messages: sum('messages'),
    delivered: sum('delivered'),
    failed: sum('failed'),
    possible_duplicates: sum('possible_duplicates'),
    costs: sums(
      usage.flatMap(({ cost, other_costs = {} }) => [[currency, cost], ...Object.entries(other_costs)]),
    ),
  };
}

/** As whole millionths, so that they can be compared. */
function sums(amounts: readonly (readonly [string, number])[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const [currency, amount] of amounts)
    totals[currency] = (totals[currency] ?? 0) + Math.round(amount * 1e6);
  return Object.fromEntries(Object.entries(totals).filter(([, total]) => total > 0));
}

export const isFinal = ({ status }: Settled): boolean => final.includes(status);

async function allMessages(gateway: RunningGateway): Promise<Settled[]> {
  const found: Settled[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({
      limit: String(pageSize),
      ...(cursor === undefined ? {} : { cursor }),
    });
    const response = await gateway.call('GET', `/api/v1/messages?${query}`);
    if (!response.ok) {
      await pause(1000);
      continue;
    }
    const page = (await response.json()) as {
      readonly messages: readonly Settled[];
      readonly next_cursor?: string | null;
    };
    found.push(...page.messages);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}
