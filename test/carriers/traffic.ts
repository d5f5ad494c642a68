/** Sends the messages of a run, and waits until each has its last state. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Channel } from '../../shared/contract/channels.ts';
import type { RunningGateway } from './gateway.ts';

const sendsAtOnce = 12;
const sendTries = 30;
const lookEveryMs = 3000;
const pageSize = 100;

export type OnUnknown = 'wait' | 'send_again' | 'fail';

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
  readonly possible_duplicate?: boolean;
  readonly error?: { readonly code: string } | null;
}

const final: readonly string[] = ['delivered', 'read', 'failed', 'expired'];
/** Most of the messages must never go to two carriers, and some ask what happens at the deadline. */
const policies: readonly OnUnknown[] = ['wait', 'send_again', 'wait', 'send_again', 'fail'];

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
  const onUnknown = policies[index % policies.length] ?? 'wait';
  const body = { to, message: text, validity_period, on_unknown: onUnknown };
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
