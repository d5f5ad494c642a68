/** Sends of one process under caps, on private tables, and what they store. */

import type { StageCaps } from '../../../shared/contract/rate-limits-and-caps.ts';
import type { Message } from '../../../shared/message/message.ts';
import { createTables } from '../engine/tables.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { type Kill, noKill } from '../faults/kill-process.ts';
import { aClient, ask, inMemorySends, rowsOf, type SendName, sendsIn } from '../message/sends.ts';

export const now = new Date('2026-11-20T10:05:17.000Z');
export const to = '+447700900123';
export const bodies: Readonly<Record<SendName, Readonly<Record<string, unknown>>>> = {
  sms: { to, message: 'Hello' },
  bulk: { message: 'Hello', recipients: [to, '+12065550100', '+33612345678'] },
  otp: { to },
  whatsapp: { to, message: 'Hello' },
};
/** How many recipients each of the bodies has. */
export const recipients: Readonly<Record<SendName, number>> = { sms: 1, bulk: 3, otp: 1, whatsapp: 1 };
export const sendNames = Object.keys(bodies) as SendName[];

export function cappedTables(): Promise<TestTables> {
  return createTables([
    'messages',
    'batches',
    'one_time_passwords',
    'rate_counters',
    'activity_log',
    'limit_overrides',
    'senders',
    'sender_pace',
    'suppressions',
  ]);
}

/** The four sends of a process of its own. */
export function cappedSends(tables: TestTables, caps: StageCaps, kill: Kill = noKill()) {
  return sendsIn(tables, { kill, env: { STAGE_CAPS: caps } });
}

export async function messagesOf(tables: TestTables, clientId: string): Promise<Message[]> {
  return (await rowsOf(tables, tables.names.messages, clientId)) as unknown as Message[];
}

/** The messages that the request would store. */
export async function wantedMessages(name: SendName, body: unknown): Promise<Message[]> {
  const { operations, messages } = inMemorySends();
  await ask(operations[name], { client: aClient(), now, body });
  return messages.all();
}
