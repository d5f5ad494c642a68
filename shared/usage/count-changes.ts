/**
 * Counts each change of a message in the usage of its client, exactly once (`count-once.ts`): in the hour, day and month
 * in which the message was accepted, for the client and for all clients.
 */
import { clientIdIn, modeOf } from '../contract/mode.ts';
import { type Amounts, amountsOf, type CountedMessage } from './amounts.ts';
import {
  addTo,
  type CountedChanges,
  type CountOnceDependencies,
  countOnce,
  type OnceCounter,
  type StreamRecordIdentity,
} from './count-once.ts';
import { intervals, type Period, periodAt } from './period.ts';

/** The key of the rows that have the sums of all clients; those of test data have it as a client's (`clientIdIn`). */
export const allClients = '*';

/** One record of the messages table's stream. */
export interface ChangeRecord extends StreamRecordIdentity {
  /** Undefined if the change created the row, or if the row was not a message. */
  readonly before: CountedMessage | undefined;
  /** Undefined if the row is not a message. A deletion is no change that counts: usage is kept longer than messages. */
  readonly after: CountedMessage | undefined;
}

/** The addition to one row of usage. */
interface UsageAddition {
  readonly period: Period;
  readonly clientId: string;
  readonly amounts: Amounts;
}

export type UsageCounter = OnceCounter<UsageAddition>;

const rowOf = ({ period, clientId }: Pick<UsageAddition, 'period' | 'clientId'>): string =>
  `${period.name} ${clientId}`;

/** @throws when something may not be counted: all records must be passed again. */
export function countChanges(
  dependencies: CountOnceDependencies<UsageAddition>,
  records: readonly ChangeRecord[],
): Promise<CountedChanges> {
  const counted = records.map((record) => ({
    eventId: record.eventId,
    changedAt: record.changedAt,
    additions: additionsOf(record),
    group: (record.after ?? record.before)?.client_id ?? '',
  }));
  return countOnce(dependencies, counted, rowOf);
}

/**
 * What a change adds to the periods in which its message was accepted: the row after it, less the row before it. A row
 * that a person made invalid is no message, so it has no amounts until it is corrected.
 */
function additionsOf({ before, after }: ChangeRecord): UsageAddition[] {
  const sums = new Map<string, UsageAddition & { readonly amounts: Map<string, number> }>();
  for (const [message, sign] of [[after, 1] as const, [before, -1] as const]) {
    if (message === undefined) continue;
    const amounts = amountsOf(message);
    for (const interval of intervals) {
      const period = periodAt(interval, new Date(message.created_at));
      for (const clientId of [message.client_id, clientIdIn(modeOf(message.client_id), allClients)]) {
        const row = rowOf({ period, clientId });
        const sum = sums.get(row) ?? { period, clientId, amounts: new Map<string, number>() };
        addTo(sum.amounts, amounts, sign);
        sums.set(row, sum);
      }
    }
  }
  return [...sums.values()].flatMap((sum) => {
    const amounts = new Map([...sum.amounts].filter(([, amount]) => amount !== 0));
    return amounts.size === 0 ? [] : [{ ...sum, amounts }];
  });
}
