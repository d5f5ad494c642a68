/**
 * Collects the states of a client's latest messages: counts since yesterday, and the newest failures. `diagnose-client.ts`
 * judges them.
 */
import { addDays } from '../../platform/clock.ts';
import { combinationsIn } from '../../usage/amounts.ts';
import { periodAt } from '../../usage/period.ts';
import type { AdminDependencies } from '../admin-dependencies.ts';
import { type CountedErrorCode, countedErrorCodes } from '../usage.ts';

export interface MessageOutcomes {
  /** The start of the UTC day of yesterday. */
  readonly since: string;
  readonly messages: number;
  readonly failed: number;
  readonly expired: number;
  readonly error_codes: readonly CountedErrorCode[];
}

const failuresShown = 5;

/** Returns the counts of yesterday and today, so that they are not empty just after midnight. */
export async function outcomesOf(
  { usage }: Pick<AdminDependencies, 'usage'>,
  clientId: string,
  now: Date,
): Promise<MessageOutcomes> {
  const yesterday = periodAt('day', addDays(now, -1));
  const rows = await usage.rowsOf(clientId, [yesterday.name, periodAt('day', now).name]);
  const amounts = rows.map((row) => row.amounts);
  const messages = amounts.flatMap(combinationsIn).filter(({ measure }) => measure === 'messages');
  const countOf = (status?: string): number =>
    messages
      .filter((one) => status === undefined || one.status === status)
      .reduce((sum, { amount }) => sum + amount, 0);
  return {
    since: yesterday.from.toISOString(),
    messages: countOf(),
    failed: countOf('failed'),
    expired: countOf('expired'),
    error_codes: countedErrorCodes(amounts),
  };
}

/** No index has the status of a message, so a search for few reads up to 1,000: the counts tell whether there are any. */
export async function recentFailures(
  { messages }: Pick<AdminDependencies, 'messages'>,
  clientId: string,
  counts: Pick<MessageOutcomes, 'since' | 'failed' | 'expired'>,
) {
  if (counts.failed + counts.expired === 0) return [];
  const condition = { status: ['failed', 'expired'] };
  const wanted = { limit: failuresShown, since: counts.since, direction: 'outbound', condition } as const;
  const lost = await messages.search({ clientId }, wanted);
  return lost.messages.map(({ message_id, recipient, status, error_code = null, created_at }) => ({
    message_id,
    recipient,
    status,
    error_code,
    created_at,
  }));
}
