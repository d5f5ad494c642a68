/** One client's events at an even rate: how long each takes to arrive, and what the gateway did while the slowest did. */
import { setTimeout as pause } from 'node:timers/promises';
import { printTable, quantile } from './figures.ts';
import type { BenchWebhookEndpoint, OwnGateway } from './own-gateway.ts';

/** All that is sent arrives within this time, or is missing. */
const waitMaxSeconds = 60;
const sampleMs = 500;

export interface Target {
  readonly clientId: string;
  readonly endpoint: BenchWebhookEndpoint;
}

interface Arrival {
  readonly messageId: string;
  readonly at: number;
  /** Infinite if it did not arrive. */
  readonly delayMs: number;
}

/** Found in a sample, so it started within half a second before. */
interface WorkerStart {
  readonly at: number;
  readonly functionName: string;
}

interface LiveEvents {
  readonly startedAt: number;
  readonly arrivals: readonly Arrival[];
  readonly workerStarts: readonly WorkerStart[];
}

export async function newTarget(gateway: OwnGateway, name: string): Promise<Target> {
  const clientId = await gateway.newClient(name);
  return { clientId, endpoint: await gateway.webhookEndpoint((response) => response.end()) };
}

export async function liveEvents(
  gateway: OwnGateway,
  { clientId, endpoint }: Target,
  perSecond: number,
  isOver: () => boolean,
): Promise<LiveEvents> {
  const startedAt = Date.now();
  let sending = true;
  const sampling = sampleWorkers(gateway, () => sending);
  const events: Promise<{ readonly messageId: string; readonly at: number }>[] = [];
  for (let i = 0; !isOver(); i += 1) {
    await pause(Math.max(0, startedAt + (i * 1000) / perSecond - Date.now()));
    const at = Date.now();
    events.push(gateway.sent(clientId, endpoint.url).then((messageId) => ({ messageId, at })));
  }
  const sent = await Promise.all(events);
  const deadline = Date.now() + waitMaxSeconds * 1000;
  const isMissing = () => sent.some(({ messageId }) => !endpoint.arrivals.has(messageId));
  while (isMissing() && Date.now() < deadline) await pause(100);
  sending = false;
  const arrivals = sent.map(({ messageId, at }): Arrival => {
    const arrivedAt = endpoint.arrivals.get(messageId) ?? Number.POSITIVE_INFINITY;
    return { messageId, at, delayMs: arrivedAt - at };
  });
  return { startedAt, arrivals, workerStarts: await sampling };
}

async function sampleWorkers(gateway: OwnGateway, isOn: () => boolean): Promise<readonly WorkerStart[]> {
  const known = new Set((await gateway.workers()).map(({ pid }) => pid));
  const starts: WorkerStart[] = [];
  while (isOn()) {
    await pause(sampleMs);
    const at = Date.now();
    for (const { pid, functionName } of await gateway.workers()) {
      if (!known.has(pid)) starts.push({ at, functionName });
      known.add(pid);
    }
  }
  return starts;
}

export function p99Of(parts: readonly LiveEvents[]): number {
  return quantile(delaysOf(parts), 0.99);
}

export function printDelays(rows: readonly (readonly [string, readonly LiveEvents[]])[]): void {
  printTable(
    ['live: event to POST, ms', 'n', 'p50', 'p99', 'max', 'missing', 'workers started'],
    rows.map(([name, parts]) => {
      const delays = delaysOf(parts);
      const arrived = delays.filter(Number.isFinite);
      return [
        name,
        String(arrived.length),
        ...[0.5, 0.99, 1].map((q) => String(quantile(arrived, q))),
        String(delays.length - arrived.length),
        String(parts.flatMap(({ workerStarts }) => workerStarts).length),
      ];
    }),
  );
}

function delaysOf(parts: readonly LiveEvents[]): number[] {
  return parts.flatMap(({ arrivals }) => arrivals.map(({ delayMs }) => delayMs));
}

/** The slowest events: when, where the time went, and which workers started meanwhile. */
export async function printSlowest(
  gateway: OwnGateway,
  { startedAt, arrivals, workerStarts }: LiveEvents,
  count: number,
): Promise<void> {
  const slowest = arrivals.toSorted((a, b) => b.delayMs - a.delayMs).slice(0, count);
  const rows = slowest.map(async ({ messageId, at, delayMs }) => {
    const delivery = await gateway.deliveryOf(messageId);
    const stops = [
      at,
      Date.parse(delivery?.created_at ?? ''),
      Date.parse(delivery?.attempts[0]?.started_at ?? ''),
      at + delayMs,
    ];
    const started = workerStarts.filter((one) => one.at >= at && one.at - sampleMs <= at + delayMs);
    return [
      `+${((at - startedAt) / 1000).toFixed(1)} s`,
      String(delayMs),
      ...[0, 1, 2].map((leg) => String((stops[leg + 1] ?? Number.NaN) - (stops[leg] ?? Number.NaN))),
      started.map(({ functionName }) => functionName).join(', '),
    ];
  });
  printTable(
    ['the slowest', 'ms', 'relay', 'worker', 'POST', 'workers that started'],
    await Promise.all(rows),
  );
}
