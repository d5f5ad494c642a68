/** The endpoints of a client that fail now, or have webhooks which failed for good. */
import { originOf } from '../../webhook/endpoint-health.ts';
import { lastErrorOf } from '../../webhook/log/delivery-log.ts';
import type { DeliverySummary } from '../../webhook/webhook-response.schema.ts';
import type { OriginHealth } from '../webhook-health.ts';

/** More are counted as this many. */
export const failedWebhooksMax = 500;

/** An endpoint that fails now, or that has webhooks which failed for good. */
export interface ClientEndpoint {
  /** Scheme, host and port; of a queue or an event bus, its ARN. */
  readonly origin: string;
  /** Whether the webhooks of the latest messages fail; null if there are none to judge by. */
  readonly is_failing: boolean | null;
  /** Webhooks that failed for good and have not been acknowledged since. */
  readonly failed: number;
  /** Webhooks of the latest messages that wait for an attempt. */
  readonly waiting: number;
  /** The time of the first known failure, or the creation of the oldest failed webhook. */
  readonly since: string;
  readonly last_error: string | null;
}

/** @param failed - the latest failure first */
export function endpointsOf(
  failed: readonly DeliverySummary[],
  healths: readonly Omit<OriginHealth, 'history'>[],
): ClientEndpoint[] {
  const failures = Map.groupBy(failed, ({ url }) => originOf(url));
  const failing = healths.filter(({ failing_since }) => failing_since !== null);
  const origins = new Set([...failures.keys(), ...failing.map(({ origin }) => origin)]);
  return [...origins]
    .map((origin): ClientEndpoint => {
      const group = failures.get(origin) ?? [];
      const [latest] = group;
      const health = healths.find((one) => one.origin === origin);
      const times = [...group.map(({ created_at }) => created_at), health?.failing_since ?? '~'];
      return {
        origin,
        is_failing:
          health === undefined || health.success_rate === null ? null : health.failing_since !== null,
        failed: group.length,
        waiting: health?.waiting ?? 0,
        since: times.toSorted()[0] ?? '',
        last_error: (latest && lastErrorOf(latest)) ?? health?.last_error ?? null,
      };
    })
    .toSorted(
      (one, other) =>
        Number(other.is_failing) - Number(one.is_failing) ||
        other.failed - one.failed ||
        other.waiting - one.waiting,
    );
}
