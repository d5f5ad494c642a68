/** What an administrator should look at now, from a bounded number of reads; `more` tells of a count that is not complete. */
import type { ActivityKind } from '../activity/activity-log.ts';
import { addDays } from '../platform/clock.ts';
import type { DeliverySummary } from '../webhook/log/delivery-response.schema.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { allOverrides } from './limits.ts';
import { listActivity } from './webhooks.ts';

export interface FailingEndpoint {
  readonly client_id: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Webhooks that failed for good and have not been acknowledged since. */
  readonly failed: number;
  /** When the oldest of them was created. */
  readonly since: string;
  readonly last_error: string | null;
}

export interface CapNotice {
  readonly client_id: string;
  readonly window: string;
  readonly is_reached: boolean;
  readonly summary: string;
  readonly resets_at: string;
}

export interface Attention {
  /** Of the last 24 hours, those with the most failed webhooks first. */
  readonly failing_endpoints: readonly FailingEndpoint[];
  readonly more_failed_webhooks: boolean;
  /** Spend caps that are used to 80 % or more in a window that has not ended. */
  readonly caps: readonly CapNotice[];
  /** Entries that a service refused for good, in the last 24 hours. */
  readonly processing_failures: { readonly count: number; readonly more: boolean };
  readonly invalid_overrides: number;
}

const entriesPerKind = 100;
/** So that one client's failed webhooks do not hide those of others. */
const failedPagesMax = 5;
/** A window of a cap is a month at most. */
const longestWindowDays = 31;

export async function attention(dependencies: AdminDependencies): Promise<Attention> {
  const now = dependencies.clock();
  const latest = (kind: ActivityKind, days: number) =>
    listActivity(dependencies, { kind, since: addDays(now, -days), until: now, limit: entriesPerKind });
  const [failed, reached, nearlyReached, refused, overrides] = await Promise.all([
    failedWebhooks(dependencies, now),
    latest('spend_cap_reached', longestWindowDays),
    latest('spend_cap_nearly_reached', longestWindowDays),
    latest('entry_refused', 1),
    allOverrides(dependencies),
  ]);
  return {
    failing_endpoints: failingEndpoints(failed.deliveries),
    more_failed_webhooks: failed.more,
    caps: currentNotices([...reached.entries, ...nearlyReached.entries], now),
    processing_failures: { count: refused.entries.length, more: refused.next_cursor !== undefined },
    invalid_overrides: overrides.filter(({ faults }) => faults.length > 0).length,
  };
}

/** Of the last 24 hours, the newest first. */
async function failedWebhooks(
  dependencies: AdminDependencies,
  now: Date,
): Promise<{ readonly deliveries: readonly DeliverySummary[]; readonly more: boolean }> {
  const deliveries: DeliverySummary[] = [];
  const asked = {
    kind: 'webhook_failed',
    since: addDays(now, -1),
    until: now,
    limit: entriesPerKind,
  } as const;
  let cursor: string | undefined;
  for (let pages = 0; pages < failedPagesMax; pages += 1) {
    const page = await listActivity(dependencies, { ...asked, ...(cursor === undefined ? {} : { cursor }) });
    for (const { delivery } of page.entries) if (delivery?.state === 'failed') deliveries.push(delivery);
    cursor = page.next_cursor;
    if (cursor === undefined) break;
  }
  return { deliveries, more: cursor !== undefined };
}

/** @param deliveries - a webhook that was resent and failed again is in it twice */
function failingEndpoints(deliveries: readonly DeliverySummary[]): FailingEndpoint[] {
  const unique = [...new Map(deliveries.map((delivery) => [delivery.delivery_id, delivery])).values()];
  const groups = Map.groupBy(unique, ({ client_id, url }) => `${client_id} ${originOf(url)}`);
  return [...groups.values()]
    .flatMap((group): FailingEndpoint[] => {
      const [latest] = group;
      if (latest === undefined) return [];
      return [
        {
          client_id: latest.client_id,
          origin: originOf(latest.url),
          failed: group.length,
          since: group.reduce(
            (oldest, { created_at }) => (created_at < oldest ? created_at : oldest),
            latest.created_at,
          ),
          last_error: latest.last_status === null ? latest.last_error : `HTTP ${latest.last_status}`,
        },
      ];
    })
    .toSorted((one, other) => other.failed - one.failed);
}

function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url;
}

/** The first entry of a client and a window counts: a cap that is reached was nearly reached before. */
function currentNotices(
  entries: readonly {
    readonly kind: string;
    readonly client_id?: string;
    readonly summary: string;
    readonly after?: Readonly<Record<string, unknown>>;
  }[],
  now: Date,
): CapNotice[] {
  const notices = entries.flatMap(({ kind, client_id, summary, after = {} }): CapNotice[] => {
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
