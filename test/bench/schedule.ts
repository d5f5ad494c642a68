/**
 * The promised retries of the deployed gateway in real time: several webhooks whose receiver refuses every attempt,
 * by all five legs, the two by a schedule included. Prints how late each attempt came after its promised time; exits
 * with 1 if one came early, was missing, or if the 99th percentile is above 2 s.
 * `npm run bench -- schedule [webhooks] [time scale]`; at 100 it takes four and a half minutes.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type Delivery, retryDelaysSeconds } from '../../shared/webhook/delivery.ts';
import { type OwnGateway, withOwnGateway } from './own-gateway.ts';

const count = Number(process.argv[2] ?? 20);
const timeScale = Number(process.argv[3] ?? 100);
const allowedMs = 2000;
/** They begin this far apart, so that they meet the emulator's schedules at different moments of their sweep. */
const spreadMs = 700;
const delays = retryDelaysSeconds.map((seconds) => Math.ceil(seconds / timeScale));
const longestSeconds = delays.reduce((sum, seconds) => sum + seconds, 0);

await withOwnGateway(timeScale, async (gateway) => {
  const clientId = await gateway.newClient('refusing');
  const refusing = await gateway.webhookEndpoint((response) => response.writeHead(503).end());
  const messageIds: string[] = [];
  for (let i = 0; i < count; i += 1) {
    messageIds.push(await gateway.sent(clientId, refusing.url));
    await pause(spreadMs);
  }
  console.log(`${count} webhooks, retries after ${delays.join(', ')} s`);
  const deliveries = await allFinished(gateway, messageIds);

  const all: number[] = [];
  for (const [index, seconds] of delays.entries()) {
    const late = deliveries
      .flatMap(({ attempts }) => attempts.filter(({ number }) => number === index + 2))
      .map(({ lateness_ms }) => lateness_ms)
      .toSorted((a, b) => a - b);
    all.push(...late);
    const path = (retryDelaysSeconds[index] ?? 0) > 900 ? 'schedule and queue' : 'queue';
    console.log(`retry ${index + 1}, after ${seconds} s by ${path}: ms late ${late.join(' ')}`);
  }
  // The delay itself counts from the end of the attempt that failed.
  const promised = deliveries.flatMap(({ attempts }) =>
    attempts.slice(1).map((attempt, i) => {
      const waitedMs = Date.parse(attempt.due_at) - Date.parse(attempts[i]?.ended_at ?? '');
      return waitedMs === (delays[i] ?? 0) * 1000;
    }),
  );
  const early = all.filter((ms) => ms < 0).length;
  const missing = count * delays.length - all.length;
  const wrongDelay = promised.filter((right) => !right).length;
  const p99 = all.toSorted((a, b) => a - b)[Math.ceil(all.length * 0.99) - 1] ?? Number.NaN;
  console.log(
    `${all.length} retries: ${early} early, ${missing} missing, ${wrongDelay} at another delay, p99 ${p99} ms late;`,
    `load average ${loadavg()[0]?.toFixed(1)}`,
  );
  process.exitCode = early + missing + wrongDelay > 0 || !(p99 <= allowedMs) ? 1 : 0;
});
process.exit();

async function allFinished(gateway: OwnGateway, messageIds: readonly string[]): Promise<Delivery[]> {
  const deadline = Date.now() + (longestSeconds + 60) * 1000;
  for (;;) {
    const deliveries = await Promise.all(messageIds.map((id) => gateway.deliveryOf(id)));
    const finished = deliveries.filter((delivery) => delivery?.finished_at !== undefined);
    if (finished.length === messageIds.length || Date.now() > deadline) {
      return deliveries.filter((delivery) => delivery !== undefined);
    }
    await pause(1000);
  }
}
