/** Counts the refused requests of clients from their log lines (contract 8.5). */
import type { LoggedRequest } from '../../shared/admin/request-log.cloudwatch.ts';

/**
 * Counts by client, hour, endpoint and reason. Returns the newest hour first, and the highest counts first within each hour.
 */
export async function countRefusals(requests: AsyncIterable<LoggedRequest>) {
  const counts = new Map<
    string,
    {
      /** When the UTC hour begins. */
      readonly hour: string;
      readonly client_id: string;
      readonly endpoint: string;
      readonly reason: string;
      readonly count: number;
      /** The names of the fields that were invalid in any of these requests, each once. */
      readonly faulty_fields: readonly string[];
      readonly last_request_id: string;
      readonly lastAt: string;
    }
  >();
  for await (const { timestamp, client_id = '', ...request } of requests) {
    const hour = `${timestamp.slice(0, 'yyyy-mm-ddThh'.length)}:00:00.000Z`;
    const endpoint = `${request.method} ${request.path}`;
    const reason = request.error ?? String(request.status);
    const key = [hour, client_id, endpoint, reason].join(' ');
    const before = counts.get(key);
    // The log lines are not sorted.
    const isLast = before === undefined || timestamp >= before.lastAt;
    counts.set(key, {
      hour,
      client_id,
      endpoint,
      reason,
      count: (before?.count ?? 0) + 1,
      faulty_fields: [...new Set([...(before?.faulty_fields ?? []), ...(request.faulty_fields ?? [])])],
      last_request_id: isLast ? request.request_id : before.last_request_id,
      lastAt: isLast ? timestamp : before.lastAt,
    });
  }
  return [...counts.values()]
    .map(({ lastAt: _lastAt, ...count }) => count)
    .toSorted((one, other) =>
      one.hour === other.hour ? other.count - one.count : one.hour < other.hour ? 1 : -1,
    );
}
