/** The tables of the simulated gateway in memory, and the adapters on them, with what a run itself reads and writes. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Message } from '../../../shared/message/message.ts';
import {
  type Created,
  type MessageStore,
  messageRowOf,
  parseMessageRow,
} from '../../../shared/message/store/message-store.ts';
import type { OtpSends } from '../../../shared/otp/otp-sends.dynamo.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import {
  type DueItemIndex,
  type DueItemList,
  positionAfter,
} from '../../../shared/recovery/due-item-index.dynamo.ts';
import { inMemoryTables, type Late } from '../engine/in-memory-tables.ts';
import { inMemoryStores, retentionDays } from '../engine/stores.ts';
import type { Change } from './aws/dynamodb.ts';
import { plainRow } from './direct-database.ts';

/** @param onMessage - called with each change of a message, as by the table's stream */
export function gatewayTables(
  clock: Clock,
  onMessage: (before: Message | undefined, after: Message) => void,
  late: Late,
) {
  const tables = inMemoryTables({ onChange, late });
  const stores = inMemoryStores(tables, clock);
  /** The positions in each list of the due-item index. */
  const duePositions = new Map<string, Set<string>>();
  /** What a request for a one-time password stores with its message, by the object that the request made of it. */
  const otpSends = new WeakMap<object, (message: Message) => ReturnType<OtpSends['store']>>();
  let changedFrom: Message | undefined;

  function onChange({ table, before, after }: Change): void {
    if (table === 'due_items') noteDue(before, after);
    if (table !== 'messages' || after === undefined) return;
    onMessage(changedFrom ?? (before && parseMessageRow(plainRow(before))), parseMessageRow(plainRow(after)));
  }

  function noteDue(before: Change['before'], after: Change['after']): void {
    const { list, position } = plainRow(after ?? before ?? {});
    const [name = ''] = String(list).split('#');
    const positions = duePositions.get(name) ?? new Set();
    duePositions.set(name, positions);
    if (after === undefined) positions.delete(String(position));
    else positions.add(String(position));
  }

  return {
    ...stores,
    messages: {
      ...stores.messages,
      create: (message: Message) =>
        (message.otp && (otpSends.get(message.otp)?.(message) as Promise<Created> | undefined)) ??
        stores.messages.create(message),
      /** Writes a row under no condition, as the change from `before`. */
      async put(before: Message | undefined, after: Message): Promise<void> {
        changedFrom = before;
        const Item = messageRowOf(after, retentionDays);
        // The write takes effect at once.
        const writing = tables.dynamo.send(new PutCommand({ TableName: tables.names.messages, Item }));
        changedFrom = undefined;
        await writing;
      },
    },
    /** The store of one-time passwords that are sent, whose messages go through `store`. */
    otpSendsThrough: (store: MessageStore): OtpSends => ({
      store(message, send, now) {
        if (message.otp === undefined) throw new Error(`${message.message_id} has no one-time password`);
        otpSends.set(message.otp, (stored) => stores.otpSends.store(stored, send, now));
        return store.create(message);
      },
    }),
    /** Whether any shard of the list has an entry that is due. */
    isDue(list: DueItemList, until: Date): boolean {
      const positions = [...(duePositions.get(list) ?? [])];
      if (positions.length === 0) return false;
      const end = positionAfter(until);
      return positions.some((position) => position < end);
    },
  };
}

/** A due-item index whose calls go through `call`, which may fail them. */
export function dueItemThrough(
  dueItemIndex: DueItemIndex,
  call: <T>(name: string, act: () => Promise<T>) => Promise<T>,
): DueItemIndex {
  return {
    add: (...added) => call('dueItemIndex add', () => dueItemIndex.add(...added)),
    remove: (entries) => call('dueItemIndex remove', () => dueItemIndex.remove(entries)),
    async *due(...asked) {
      yield* await call('dueItemIndex due', () => Array.fromAsync(dueItemIndex.due(...asked)));
    },
  };
}
