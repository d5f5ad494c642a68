/**
 * What must hold of sends with `fallback` at the end: no leg started too early or after one was delivered, none is missing,
 * and none was handed over once it was not needed any more.
 */
import { earlierLegIds, laterLegIds, nextLegDueAt } from '../../../shared/message/dispatch/fallback.ts';
import type { Message } from '../../../shared/message/message.ts';
import type { Gateway } from '../simulation/gateway.ts';

const hourMs = 3_600_000;

export function legFindings(gateway: Gateway, skewMaxMs: number): { readonly violations: readonly string[] } {
  const rows = new Map(gateway.messages.all().map((message) => [message.message_id, message]));
  const violations: string[] = [];

  for (const { leg, previous, earlier, atMs } of gateway.legStarts) {
    for (const status of earlier)
      if (status === 'delivered' || status === 'read' || status === 'canceled' || status === undefined)
        violations.push(`${leg.message_id} started although an earlier leg was ${status}`);
    const dueMs = previous === undefined ? undefined : nextLegDueAt(previous)?.getTime();
    if (dueMs === undefined || dueMs > atMs + 2 * skewMaxMs)
      violations.push(`${leg.message_id} started before it was due`);
  }

  const started = new Map<string, number>();
  for (const { fallback_of, leg } of rows.values())
    if (fallback_of !== undefined)
      started.set(`${fallback_of}, leg ${leg}`, (started.get(`${fallback_of}, leg ${leg}`) ?? 0) + 1);
  for (const [leg, times] of started) if (times > 1) violations.push(`${leg}, started ${times} times`);

  for (const message of rows.values()) {
    const [nextId] = laterLegIds(message);
    if (nextId !== undefined && !rows.has(nextId)) {
      if (mustHaveFollowed(message)) violations.push(`${message.message_id}: its next leg did not start`);
    }
    const earlier = earlierLegIds(message);
    const endedAtMs = Math.min(...earlier.map((id) => gateway.deliveredAtMs.get(id) ?? Infinity));
    for (const { claim } of gateway.handOvers.get(message.message_id) ?? [])
      if (claim.claimedAtMs > endedAtMs)
        violations.push(`${message.message_id} was handed over although it was not needed`);
  }
  return { violations };

  /** Whether nothing explains that the next leg is missing: it was due, and there was time for every repair. */
  function mustHaveFollowed(message: Message): boolean {
    const [first] = message.fallback ?? [];
    const { otp, queued_at, status, failed_at, expired_at } = message;
    if (first === undefined || queued_at === undefined || status === 'canceled') return false;
    const failedAt = failed_at ?? expired_at;
    const ended =
      failedAt === undefined || nextLegDueAt(message) === undefined ? Infinity : Date.parse(failedAt);
    const late =
      first.after_seconds === undefined ? Infinity : Date.parse(queued_at) + 1000 * first.after_seconds;
    const dueMs = Math.min(ended, late);
    const validityMs =
      Date.parse(message.expires_at) - Date.parse(message.scheduled_at ?? message.created_at);
    const repairedMs = dueMs + validityMs + 2 * hourMs + skewMaxMs;
    const ids = [...earlierLegIds(message), message.message_id];
    const endedMs = Math.min(
      ...ids.map((id) => gateway.deliveredAtMs.get(id) ?? Infinity),
      otp === undefined ? Infinity : Date.parse(otp.expires_at),
    );
    return dueMs !== Infinity && endedMs > repairedMs;
  }
}
