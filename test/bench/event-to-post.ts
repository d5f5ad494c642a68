/**
 * `npm run bench -- event-to-post [seconds of each cell]`: the time from an event to its POST on the deployed local gateway, at
 * half and at all of the rate that the emulator carries, with none, a tenth and half of the endpoints hanging. The
 * rate is found first, in the same run: it is raised until more comes in than goes out.
 *
 * The time counts from the write that makes the event to the arrival of its POST at an endpoint that answers: stream,
 * relay, queue and worker are in it. The first seconds of each cell, in which workers start and endpoints are found
 * to hang, are listed separately.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { printMachine, printTable, quantile } from './figures.ts';
import { type BenchWebhookEndpoint, type OwnGateway, withOwnGateway } from './own-gateway.ts';

const seconds = Number(process.argv[2] ?? 40);
const webhookEndpoints = 20;
const hangingShares = [0, 0.1, 0.5];
const transientSeconds = 10;
/** All that is sent arrives within this time, or is counted as missing. */
const waitMaxSeconds = 30;
const ramp = { firstPerSecond: 5, factor: 1.4, seconds: 8 };
/** A rate is carried where, at the end of its stretch, no more is on its way than comes in so many seconds. */
const backlogMaxSeconds = 0.2;

interface Target {
  readonly clientId: string;
  readonly webhookEndpoint: BenchWebhookEndpoint;
  readonly hangs: boolean;
}

interface Sent {
  readonly messageId: string;
  readonly target: Target;
  readonly at: number;
}

interface Traffic {
  readonly startedAt: number;
  readonly sent: readonly Sent[];
  /** What was sent to endpoints that answer and had not arrived when the last was sent. */
  readonly backlog: number;
}

await withOwnGateway(1, async (gateway) => {
  printMachine(`npm run bench -- event-to-post ${seconds}`);
  const clientIds = await Promise.all(
    Array.from({ length: webhookEndpoints }, (_, i) => gateway.newClient(`receiver ${i}`)),
  );
  const { targets } = await targetsOf(gateway, clientIds, 0);
  await traffic(gateway, targets, ramp.firstPerSecond, 10);
  const carried = await rateCarried(gateway, targets);
  console.log(`\nThe emulator carries ${carried} webhooks a second\n`);

  const rows: string[][] = [];
  // From the lowest share up: the effects of endpoints that hung reach only cells in which others hang too.
  for (const share of hangingShares) {
    for (const part of [0.5, 1]) {
      const perSecond = carried * part;
      const cell = await targetsOf(gateway, clientIds, Math.round(webhookEndpoints * share));
      const ran = await traffic(gateway, cell.targets, perSecond, seconds);
      rows.push([`${share * 100} % hang, ${part === 1 ? 'all' : 'half'}`, ...usageOf(perSecond, ran)]);
      process.stderr.write(`${rows.at(-1)?.join('  ')}\n`);
      cell.release();
    }
  }
  console.log('From event to POST at endpoints that answer, in ms:');
  printTable(
    ['', 'a second', 'n', 'p50', 'p99', 'max', `p99 of the first ${transientSeconds} s`, 'missing', 'load'],
    rows,
  );
});
process.exit();

/** One endpoint for each client; the first of them hang until they are released, and then answer everything. */
async function targetsOf(
  gateway: OwnGateway,
  clientIds: readonly string[],
  hanging: number,
): Promise<{ readonly targets: readonly Target[]; release(): void }> {
  let released = false;
  const held: (() => void)[] = [];
  const targets = await Promise.all(
    clientIds.map(async (clientId, i) => {
      const hangs = i < hanging;
      const webhookEndpoint = await gateway.webhookEndpoint((response) => {
        if (hangs && !released) held.push(() => response.end());
        else response.end();
      });
      return { clientId, webhookEndpoint, hangs };
    }),
  );
  return {
    targets,
    release() {
      released = true;
      for (const answer of held) answer();
    },
  };
}

/** The highest rate of the ramp at which no backlog was left. */
async function rateCarried(gateway: OwnGateway, targets: readonly Target[]): Promise<number> {
  let carried = 0;
  for (let perSecond = ramp.firstPerSecond; ; perSecond = Math.round(perSecond * ramp.factor)) {
    const ran = await traffic(gateway, targets, perSecond, ramp.seconds);
    const sendSeconds = ((ran.sent.at(-1)?.at ?? 0) - ran.startedAt) / 1000;
    console.log(
      `${perSecond} a second: ${ran.backlog} on their way at the end, p99 ${usageOf(perSecond, ran, 0)[3]} ms`,
    );
    // Nor is a rate carried at which the events themselves can't be written in time.
    if (ran.backlog > perSecond * backlogMaxSeconds || sendSeconds > ramp.seconds * 1.2) break;
    carried = perSecond;
  }
  return carried;
}

/** So many events a second, evenly, to one endpoint after the other. */
async function traffic(
  gateway: OwnGateway,
  targets: readonly Target[],
  perSecond: number,
  forSeconds: number,
): Promise<Traffic> {
  const startedAt = Date.now();
  const sending: Promise<Sent>[] = [];
  for (let i = 0; i < forSeconds * perSecond; i += 1) {
    await pause(Math.max(0, startedAt + (i * 1000) / perSecond - Date.now()));
    const target = targets[i % targets.length];
    if (target === undefined) continue;
    const at = Date.now();
    const { clientId, webhookEndpoint } = target;
    sending.push(
      gateway.sent(clientId, webhookEndpoint.url).then((messageId) => ({ messageId, target, at })),
    );
  }
  const sent = await Promise.all(sending);
  const missing = (): number =>
    sent.filter(({ target, ...one }) => !target.hangs && arrivedAt(target, one) === undefined).length;
  const backlog = missing();
  const deadline = Date.now() + waitMaxSeconds * 1000;
  while (missing() > 0 && Date.now() < deadline) await pause(100);
  return { startedAt, sent, backlog };
}

function arrivedAt({ webhookEndpoint }: Target, { messageId }: Pick<Sent, 'messageId'>): number | undefined {
  return webhookEndpoint.arrivals.get(messageId);
}

function usageOf(perSecond: number, ran: Traffic, transient = transientSeconds): string[] {
  const answered = ran.sent.filter(({ target }) => !target.hangs);
  const latencies = (of: readonly Sent[]): number[] =>
    of.flatMap((sent) => {
      const at = arrivedAt(sent.target, sent);
      return at === undefined ? [] : [at - sent.at];
    });
  const isFirst = ({ at }: Sent): boolean => at < ran.startedAt + transient * 1000;
  const then = latencies(answered.filter((sent) => !isFirst(sent)));
  return [
    perSecond.toFixed(1),
    String(then.length),
    ...[quantile(then, 0.5), quantile(then, 0.99), Math.max(...then)].map((ms) => ms.toFixed(0)),
    quantile(latencies(answered.filter(isFirst)), 0.99).toFixed(0),
    String(answered.length - latencies(answered).length),
    loadavg()[0]?.toFixed(1) ?? '',
  ];
}
