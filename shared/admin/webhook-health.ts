/** The health of a client's endpoints by its latest messages: since when each fails, and how many webhooks wait or failed. */
import type { Attempt } from '../webhook/attempt.ts';
import type { Delivery } from '../webhook/delivery.ts';
import { originOf } from '../webhook/endpoint-health.ts';
import type { AdminDependencies } from './admin-dependencies.ts';
import { deliveryIdsOf } from './messages.ts';

export interface OriginHealth {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly acknowledged: number;
  /** The number of webhooks whose next attempt is due or scheduled. */
  readonly waiting: number;
  readonly failed: number;
  /** Since when it fails; null if the last attempt succeeded. Here: the first attempt that failed after the last success. */
  readonly failing_since: string | null;
  readonly last_error: string | null;
  /** The share of attempts that were acknowledged, from 0 to 1; null without an attempt. */
  readonly success_rate: number | null;
  /** The average latency of an attempt. */
  readonly latency_ms: number | null;
  readonly history: AttemptHistory;
}

/** Attempts by the UTC hour or day in which they began. */
interface AttemptHistory {
  readonly step: 'hour' | 'day';
  /** The oldest first, without gaps. */
  readonly points: readonly AttemptPoint[];
}

interface AttemptPoint {
  readonly at: string;
  readonly acknowledged: number;
  readonly failed: number;
  /** The average duration; null without an attempt. */
  readonly latency_ms: number | null;
}

export interface WebhookHealth {
  /** How many of the latest messages were looked at. */
  readonly messages: number;
  /** Failing ones first. */
  readonly endpoints: readonly OriginHealth[];
}

/** Returns the health of the endpoints, from the webhooks of the given number of latest messages. */
export async function healthOfLatest(
  dependencies: Pick<AdminDependencies, 'messages' | 'endpoints' | 'deliveries'>,
  clientId: string,
  limit: number,
): Promise<WebhookHealth> {
  const [{ messages }, endpoints] = await Promise.all([
    dependencies.messages.search({ clientId }, { limit }),
    dependencies.endpoints.list(clientId),
  ]);
  const ids = messages.flatMap((message) => deliveryIdsOf(message, endpoints));
  const deliveries = ids.length === 0 ? [] : await dependencies.deliveries.getMany(ids);
  return { messages: messages.length, endpoints: healthOf(deliveries) };
}

export function healthOf(
  deliveries: readonly Pick<Delivery, 'url' | 'state' | 'attempts'>[],
): readonly OriginHealth[] {
  return [...Map.groupBy(deliveries, ({ url }) => originOf(url))]
    .map(([origin, group]): OriginHealth => {
      const count = (state: Delivery['state']): number => group.filter((one) => one.state === state).length;
      const [acknowledged, failed] = [count('acknowledged'), count('failed')];
      const attempts = group
        .flatMap((one) => one.attempts)
        .toSorted((one, other) => one.started_at.localeCompare(other.started_at));
      const lastSuccess = attempts.findLastIndex(succeeded);
      return {
        origin,
        acknowledged,
        waiting: group.length - acknowledged - failed,
        failed,
        failing_since: attempts[lastSuccess + 1]?.started_at ?? null,
        last_error: errorOf(attempts.findLast((attempt) => !succeeded(attempt))),
        success_rate: attempts.length === 0 ? null : attempts.filter(succeeded).length / attempts.length,
        latency_ms: averageMs(attempts),
        history: historyOf(attempts),
      };
    })
    .toSorted((one, other) => Number(other.failing_since !== null) - Number(one.failing_since !== null));
}

const hourMs = 3_600_000;
const hoursMax = 48;
const daysMax = 31;

/** Groups attempts in their order: by hour if they are of at most two days, otherwise by day, only the latest ones. */
function historyOf(attempts: readonly Attempt[]): AttemptHistory {
  const [first, last] = [attempts[0], attempts.at(-1)];
  if (first === undefined || last === undefined) return { step: 'hour', points: [] };
  const span = Date.parse(last.started_at) - Date.parse(first.started_at);
  const [step, stepMs, pointsMax] =
    span < hoursMax * hourMs
      ? (['hour', hourMs, hoursMax + 1] as const)
      : (['day', 24 * hourMs, daysMax] as const);
  const startOf = ({ started_at }: Attempt): number => Math.floor(Date.parse(started_at) / stepMs);
  const groups = Map.groupBy(attempts, startOf);
  const end = startOf(last);
  const start = Math.max(startOf(first), end - pointsMax + 1);
  const points = Array.from({ length: end - start + 1 }, (_, index): AttemptPoint => {
    const group = groups.get(start + index) ?? [];
    const acknowledged = group.filter(succeeded).length;
    return {
      at: new Date((start + index) * stepMs).toISOString(),
      acknowledged,
      failed: group.length - acknowledged,
      latency_ms: averageMs(group),
    };
  });
  return { step, points };
}

function averageMs(attempts: readonly Attempt[]): number | null {
  const totalMs = attempts.reduce((sum, { total_ms }) => sum + total_ms, 0);
  return attempts.length === 0 ? null : Math.round(totalMs / attempts.length);
}

const succeeded = ({ error }: Attempt): boolean => error === undefined;

function errorOf(attempt: Attempt | undefined): string | null {
  if (attempt === undefined) return null;
  if (attempt.status !== undefined) return `HTTP ${attempt.status}`;
  return attempt.error_message ?? attempt.error ?? null;
}
