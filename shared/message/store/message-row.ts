/** A row of the messages table: index keys and a TTL are added when it is written; it is validated when it is read. */
import * as z from 'zod/mini';
import { addDays, epochSeconds } from '../../platform/clock.ts';
import { lazily } from '../../platform/lazily.ts';
import { shardOf } from '../../platform/shard.ts';
import { type Message, messageSchema } from '../message.ts';
import { type FilterFields, filterFields, listKey, listShards } from './message-list.ts';

/** @throws ZodError when the row is not a message. */
export function parseMessageRow(row: unknown): Message {
  return messageSchema().parse(row);
}

const filterFieldsRow = lazily(() => {
  const picked = ['message_id', ...filterFields] as const;
  type Picked = Record<(typeof picked)[number], true>;
  return z.pick(messageSchema(), Object.fromEntries(picked.map((field) => [field, true])) as Picked);
});

/** @throws ZodError when the row is not part of a message. */
export function parseFilterFields(row: unknown): FilterFields {
  return filterFieldsRow().parse(row);
}

/** The message with its index keys (by client, by reference) and its TTL. */
export function messageRowOf(message: Message, retentionDays: number): Record<string, unknown> {
  const end = addDays(new Date(message.expires_at), retentionDays);
  return {
    ...message,
    list_at: listPosition(message),
    list_key: listKey(message.client_id, message.direction, shardOf(message.message_id, listShards)),
    ...(message.reference === undefined
      ? {}
      : { reference_key: `${message.client_id}#${message.reference}` }),
    purge_at: epochSeconds(end),
  };
}

/** Whether the row was written by an earlier attempt of this very write, whose answer was lost. */
export function isOwn({ stored_by }: Message, existing: Message): boolean {
  return stored_by !== undefined && existing.stored_by === stored_by;
}

/** The sort key of a message in its client's list: by time, then by id. */
export function listPosition(message: Pick<Message, 'created_at' | 'message_id'>): string {
  return `${message.created_at}#${message.message_id}`;
}
