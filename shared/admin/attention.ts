/**
 * Finds the problems that an administrator should look at now. The number of reads is limited; `more` marks an incomplete
 * count.
 */

import type { ActivityKind } from '../contract/activity-kinds.ts';
import { countInvalidRows } from '../edited-table/row-editor.dynamo.ts';
import { overrideTable } from '../limit/overrides.ts';
import { addDays } from '../platform/clock.ts';
import { listActivity } from './activity.ts';
import type { AdminContext } from './admin-context.ts';
import { failingEndpoints } from './failing-endpoints.ts';
import { listOtpHolds } from './otp-holds.ts';

const entriesPerKind = 100;
/** More rows than operators enter by hand; still one read. */
const overridesMax = 1000;
/** The longest window of a cap is a month. */
const longestWindowDays = 31;

export async function attention(ctx: AdminContext) {
  const now = ctx.clock();
  const latest = (kind: ActivityKind, days: number) =>
    listActivity(ctx, { kind, since: addDays(now, -days), until: now, limit: entriesPerKind });
  const [webhooks, reached, nearlyReached, overrides, holds] = await Promise.all([
    failingEndpoints(ctx),
    latest('spend_cap_reached', longestWindowDays),
    latest('spend_cap_nearly_reached', longestWindowDays),
    countInvalidRows(ctx, overrideTable, overridesMax),
    listOtpHolds(ctx, { limit: entriesPerKind }),
  ]);
  return {
    /** Sorted by the number of failed webhooks, then of waiting webhooks, highest first. */
    failing_endpoints: webhooks.endpoints,
    more_failed_webhooks: webhooks.moreFailed,
    /** Spend caps that are used to 80 % or more in a window that has not ended. */
    caps: currentNotices([...reached.entries, ...nearlyReached.entries], now),
    invalid_overrides: overrides.count,
    more_overrides: overrides.more,
    /** Clients whose one-time passwords to a country are held, newest hold first. */
    otp_holds: holds.otp_holds,
    more_otp_holds: holds.next_cursor !== undefined,
  };
}

/**
 * Returns the first entry for each client and window. The newest entries are first, so the entry about a reached cap
 * replaces the earlier notice.
 */
function currentNotices(
  entries: readonly {
    readonly kind: string;
    readonly client_id?: string;
    readonly summary: string;
    readonly after?: Readonly<Record<string, unknown>>;
  }[],
  now: Date,
) {
  const notices = entries.flatMap(({ kind, client_id, summary, after = {} }) => {
    const { window, resets_at } = after;
    if (client_id === undefined || typeof window !== 'string' || typeof resets_at !== 'string') return [];
    const isCurrent = Date.parse(resets_at) > now.getTime();
    return isCurrent
      ? [{ client_id, window, is_reached: kind === 'spend_cap_reached', summary, resets_at }]
      : [];
  });
  const byWindow = Map.groupBy(notices, ({ client_id, window }) => `${client_id} ${window}`);
  return [...byWindow.values()].flatMap(([first]) => first ?? []);
}
