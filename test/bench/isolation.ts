/**
 * What receivers that hang cost those that answer: the time from an event to its POST, for one client's receiver that
 * answers, alone and beside as many webhooks of another client whose receiver hangs.
 * `npm run bench:isolation -- [seconds of each phase] [webhooks a second of each client]`
 *
 * The time counts from the write that makes the event to the arrival of its POST: stream, relay, queue and worker are
 * in it. On the emulator a worker is a process of this machine, and whatever must be started first costs everybody;
 * so the first seconds of each kind of trouble stand apart from what follows.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type BenchReceiver, type OwnGateway, withOwnGateway } from './own-gateway.ts';

const seconds = Number(process.argv[2] ?? 40);
const perSecond = Number(process.argv[3] ?? 5);
const transientSeconds = 10;
/** All that is sent arrives within this time, or is counted as missing. */
const patienceSeconds = 30;

interface Sent {
  readonly messageId: string;
  readonly at: number;
}

interface Phase {
  readonly startedAt: number;
  readonly sent: readonly Sent[];
  readonly workersBefore: number;
  readonly workersAfter: number;
}

await withOwnGateway(1, async (gateway) => {
  const [quickClient, hangingClient] = [await gateway.newClient('quick'), await gateway.newClient('hanging')];
  const quick = await gateway.receiver((response) => response.end());
  const hanging = await gateway.receiver(() => {});
  let answers = true;
  const turning = await gateway.receiver((response) => {
    if (answers) response.end();
  });

  await traffic(gateway, 10, [[quickClient, quick]]);
  await traffic(gateway, 10, [[hangingClient, turning]]);
  const alone = await traffic(gateway, seconds, [[quickClient, quick]]);
  const beside = await traffic(gateway, seconds, [
    [quickClient, quick],
    [hangingClient, hanging],
  ]);
  answers = false;
  const turned = await traffic(gateway, seconds, [
    [quickClient, quick],
    [hangingClient, turning],
  ]);
  await pause(5000);

  const first = ({ at }: Sent, phase: Phase) => at < phase.startedAt + transientSeconds * 1000;
  const rows: [string, readonly number[]][] = [
    ['alone', latencies(alone, quick)],
    ['beside one that hangs, first 10 s', latencies(beside, quick, first)],
    ['beside one that hangs, then', latencies(beside, quick, (sent, phase) => !first(sent, phase))],
    ['beside one that begins to hang, first 10 s', latencies(turned, quick, first)],
    ['beside one that begins to hang, then', latencies(turned, quick, (sent, phase) => !first(sent, phase))],
    ['(the one that hangs)', latencies(beside, hanging)],
    ['(the one that begins to hang)', latencies(turned, turning)],
  ];
  console.log(`${perSecond} webhooks a second of each client; load average ${loadavg()[0]?.toFixed(1)}`);
  const workers = [alone, beside, turned].map(({ workersBefore, workersAfter }) =>
    [workersBefore, workersAfter].join(' to '),
  );
  console.log(`processes of the emulator: ${workers.join(', ')}`);
  const reference = quantile(rows[0]?.[1] ?? [], 0.99);
  console.log('event to POST, ms'.padEnd(46), 'n'.padStart(5), '  p50   p99   max  p99/alone');
  for (const [name, times] of rows) {
    const figures = [quantile(times, 0.5), quantile(times, 0.99), times.at(-1) ?? Number.NaN];
    const ratio = (quantile(times, 0.99) / reference).toFixed(2);
    console.log(
      name.padEnd(46),
      String(times.length).padStart(5),
      ...figures.map((figure) => String(figure).padStart(5)),
      ratio.padStart(10),
    );
  }
});
process.exit();

/** Each receiver gets `perSecond` webhooks a second, evenly, one receiver a little after the other. */
async function traffic(
  gateway: OwnGateway,
  forSeconds: number,
  to: readonly (readonly [clientId: string, receiver: BenchReceiver])[],
): Promise<Phase> {
  const workersBefore = gateway.processes();
  const startedAt = Date.now();
  const sending: Promise<Sent>[] = [];
  const everyMs = 1000 / perSecond / to.length;
  for (let i = 0; i < forSeconds * perSecond * to.length; i += 1) {
    await pause(Math.max(0, startedAt + i * everyMs - Date.now()));
    const [clientId, receiver] = to[i % to.length] ?? to[0] ?? [];
    if (clientId === undefined || receiver === undefined) continue;
    const at = Date.now();
    sending.push(gateway.sent(clientId, receiver.url).then((messageId) => ({ messageId, at })));
  }
  const sent = await Promise.all(sending);
  const deadline = Date.now() + patienceSeconds * 1000;
  const missing = () =>
    sent.filter(({ messageId }) => !to.some(([, { arrivals }]) => arrivals.has(messageId))).length;
  while (missing() > 0 && Date.now() < deadline) await pause(100);
  if (missing() > 0) console.log(`${missing()} of ${sent.length} did not arrive in time`);
  return { startedAt, sent, workersBefore, workersAfter: gateway.processes() };
}

/** From event to POST, in milliseconds, shortest first. */
function latencies(
  phase: Phase,
  { arrivals }: BenchReceiver,
  which: (sent: Sent, phase: Phase) => boolean = () => true,
): number[] {
  return phase.sent
    .filter((sent) => which(sent, phase))
    .flatMap(({ messageId, at }) => {
      const arrivedAt = arrivals.get(messageId);
      return arrivedAt === undefined ? [] : [arrivedAt - at];
    })
    .toSorted((a, b) => a - b);
}

function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.ceil(sorted.length * q) - 1] ?? Number.NaN;
}
