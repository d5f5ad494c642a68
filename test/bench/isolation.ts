/**
 * What endpoints that hang cost those that answer: the time from an event to its POST, for one client's endpoint that
 * answers, alone and next to as many webhooks of another client whose endpoint hangs from the first one on, or starts
 * to hang when it is known to be quick; and next to a second endpoint of the same client, to which every event goes too
 * (fan-out). Fails unless the 99th percentile stays within twice its value alone and under a second. A second client whose
 * endpoint answers, and a second endpoint that does, show what the load alone costs.
 * `npm run bench -- isolation [seconds of each trouble] [webhooks a second of each client]`
 *
 * The time counts from the write that makes the event to the arrival of its POST: stream, relay, queue and worker are
 * in it. Stretches alone lie before, between and after the troubles, so that a drift of the machine would be seen.
 * On the emulator a worker is a process of this machine, and what must be started first costs everybody: so the very
 * first trouble, of workers that do not run yet, has a row of its own, and so have the first seconds of each.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { printMachine, printTable } from './figures.ts';
import { type BenchWebhookEndpoint, type OwnGateway, withOwnGateway } from './own-gateway.ts';

const seconds = Number(process.argv[2] ?? 100);
const perSecond = Number(process.argv[3] ?? 5);
const aloneSeconds = Math.ceil(seconds / 3);
const transientSeconds = 10;
/** All that is sent arrives within this time, or is counted as missing. */
const waitMaxSeconds = 30;
/** Beyond the first retry, after which nothing is left of an endpoint that answers again. */
const settleSeconds = 33;
const allowedMs = 1000;
const allowedRatio = 2;
/** Fewer say nothing about a 99th percentile. */
const enough = 500;

interface Sent {
  readonly messageId: string;
  readonly at: number;
}

interface Phase {
  readonly startedAt: number;
  readonly sent: readonly Sent[];
  readonly workers: string;
}

/** One webhook's way, in milliseconds. */
interface Way {
  readonly total: number;
  /** To the delivery's row, from there to the start of its attempt, and to the arrival of its POST. */
  readonly delays: readonly [relay: number, worker: number, post: number];
}

await withOwnGateway(1, async (gateway) => {
  const [quickClient, hangingClient] = [await gateway.newClient('quick'), await gateway.newClient('hanging')];
  const quick = await gateway.webhookEndpoint((response) => response.end());
  const alone = (forSeconds: number) => traffic(gateway, forSeconds, [[quickClient, quick]]);
  const beside = (forSeconds: number, other: BenchWebhookEndpoint) =>
    traffic(gateway, forSeconds, [
      [quickClient, quick],
      [hangingClient, other],
    ]);
  async function mended(webhookEndpoint: Recovering): Promise<void> {
    webhookEndpoint.answer(true);
    await pause(settleSeconds * 1000);
  }

  await alone(10);
  const first = await recovering(gateway, false);
  const cold = await beside(transientSeconds, first.webhookEndpoint);
  await mended(first);

  const before = await alone(aloneSeconds);
  const hanging = await recovering(gateway, false);
  const slowRecorded = await beside(seconds, hanging.webhookEndpoint);
  await mended(hanging);

  const between = await alone(aloneSeconds);
  const answering = await gateway.webhookEndpoint((response) => response.end());
  const busy = await beside(seconds, answering);
  const turning = await recovering(gateway, true);
  await traffic(gateway, 5, [[hangingClient, turning.webhookEndpoint]]);
  turning.answer(false);
  const turned = await beside(seconds, turning.webhookEndpoint);
  await mended(turning);

  const second = await recovering(gateway, true);
  const stopFanOut = await fanOut(gateway, quickClient, second.webhookEndpoint);
  const fannedOut = await alone(seconds);
  second.answer(false);
  const fannedOutToHanging = await alone(seconds);
  await stopFanOut();
  await mended(second);
  const after = await alone(aloneSeconds);

  const inTransient = ({ at }: Sent, { startedAt }: Phase) => at < startedAt + transientSeconds * 1000;
  const later = (sent: Sent, phase: Phase) => !inTransient(sent, phase);
  const ways = (phases: readonly Phase[], to: BenchWebhookEndpoint, which?: typeof inTransient) =>
    Promise.all(phases.map((phase) => waysOf(gateway, phase, to, which))).then((all) => all.flat());
  const rows: [string, readonly Way[], ('judged' | 'told')?][] = [
    ['alone', await ways([before, between, after], quick)],
    ['  before', await ways([before], quick)],
    ['  between', await ways([between], quick)],
    ['  after', await ways([after], quick)],
    ['beside one that answers: the same load', await ways([busy], quick), 'told'],
    ['beside one that hangs', await ways([slowRecorded], quick), 'judged'],
    [`  first ${transientSeconds} s`, await ways([slowRecorded], quick, inTransient), 'told'],
    ['  then', await ways([slowRecorded], quick, later), 'told'],
    ['beside one that begins to hang', await ways([turned], quick), 'judged'],
    [`  first ${transientSeconds} s`, await ways([turned], quick, inTransient), 'told'],
    ['  then', await ways([turned], quick, later), 'told'],
    ['fan-out, the second endpoint answers', await ways([fannedOut], quick), 'told'],
    ['fan-out, the second endpoint begins to hang', await ways([fannedOutToHanging], quick), 'judged'],
    ['(the very first that hangs, workers yet to start)', await ways([cold], quick), 'told'],
    ['(to the one that hangs)', await ways([slowRecorded], hanging.webhookEndpoint)],
    ['(to the one that begins to hang)', await ways([turned], turning.webhookEndpoint)],
  ];
  printMachine(`npm run bench -- isolation ${seconds} ${perSecond}`);
  const workers = [cold, before, slowRecorded, between, busy, turned, fannedOut, fannedOutToHanging, after]
    .map((phase) => phase.workers)
    .join(', ');
  console.log(`processes of the emulator: ${workers}; load average ${loadavg()[0]?.toFixed(1)}`);
  const total = (found: readonly Way[], q: number) =>
    at(
      found.map((way) => way.total),
      q,
    );
  const p99Of = (wanted: string) => total(rows.find(([name]) => name.startsWith(wanted))?.[1] ?? [], 0.99);
  const [reference, sameLoad] = [p99Of('alone'), p99Of('beside one that answers')];
  let met = true;
  printTable(
    [
      'event to POST, ms',
      'n',
      'p50',
      'p99',
      'max',
      'p99: relay',
      'worker',
      'POST',
      'p99/alone',
      '/same load',
      'verdict',
    ],
    rows.map(([name, found, judged]) => {
      const p99 = total(found, 0.99);
      const fine = p99 < allowedMs && p99 <= allowedRatio * reference;
      if (judged === 'judged' && !(fine && found.length >= enough)) met = false;
      return [
        name,
        String(found.length),
        String(total(found, 0.5)),
        String(p99),
        String(total(found, 1)),
        ...([0, 1, 2] as const).map((leg) =>
          String(
            at(
              found.map(({ delays }) => delays[leg]),
              0.99,
            ),
          ),
        ),
        (p99 / reference).toFixed(2),
        (p99 / sameLoad).toFixed(2),
        judged === undefined ? '' : verdict(found.length, p99, p99 / reference),
      ];
    }),
  );
  process.exitCode = met ? 0 : 1;
});
process.exit();

interface Recovering {
  readonly webhookEndpoint: BenchWebhookEndpoint;
  answer(yes: boolean): void;
}

/** An endpoint that the caller sets to hang or to answer; set to answer, it also answers waiting requests. */
async function recovering(gateway: OwnGateway, answers: boolean): Promise<Recovering> {
  let answering = answers;
  const waiting: (() => void)[] = [];
  const webhookEndpoint = await gateway.webhookEndpoint((response) => {
    if (answering) response.end();
    else waiting.push(() => response.end());
  });
  return {
    webhookEndpoint,
    answer(yes) {
      answering = yes;
      if (yes) for (const end of waiting.splice(0)) end();
    },
  };
}

/** All events of the client go to this endpoint too, until the returned function is called. */
async function fanOut(
  gateway: OwnGateway,
  clientId: string,
  { url }: BenchWebhookEndpoint,
): Promise<() => Promise<unknown>> {
  const path = '/api/v1/webhook-endpoints';
  const { endpoint_id } = await gateway.call(clientId, 'POST', path, { url });
  return () => gateway.call(clientId, 'DELETE', `${path}/${String(endpoint_id)}`);
}

/** Each endpoint gets `perSecond` webhooks a second, evenly, one endpoint a little after the other. */
async function traffic(
  gateway: OwnGateway,
  forSeconds: number,
  to: readonly (readonly [clientId: string, webhookEndpoint: BenchWebhookEndpoint])[],
): Promise<Phase> {
  const workersBefore = gateway.processes();
  const startedAt = Date.now();
  const sending: Promise<Sent>[] = [];
  const everyMs = 1000 / perSecond / to.length;
  for (let i = 0; i < forSeconds * perSecond * to.length; i += 1) {
    await pause(Math.max(0, startedAt + i * everyMs - Date.now()));
    const [clientId, webhookEndpoint] = to[i % to.length] ?? to[0] ?? [];
    if (clientId === undefined || webhookEndpoint === undefined) continue;
    const at = Date.now();
    sending.push(gateway.sent(clientId, webhookEndpoint.url).then((messageId) => ({ messageId, at })));
  }
  const sent = await Promise.all(sending);
  const deadline = Date.now() + waitMaxSeconds * 1000;
  const missing = () =>
    sent.filter(({ messageId }) => !to.some(([, { arrivals }]) => arrivals.has(messageId))).length;
  while (missing() > 0 && Date.now() < deadline) await pause(100);
  if (missing() > 0) console.log(`${missing()} of ${sent.length} did not arrive in time`);
  return { startedAt, sent, workers: `${workersBefore} to ${gateway.processes()}` };
}

async function waysOf(
  gateway: OwnGateway,
  phase: Phase,
  { arrivals }: BenchWebhookEndpoint,
  which: (sent: Sent, phase: Phase) => boolean = () => true,
): Promise<Way[]> {
  const ways: Way[] = [];
  for (const sent of phase.sent.filter((one) => which(one, phase))) {
    const arrivedAt = arrivals.get(sent.messageId);
    if (arrivedAt === undefined) continue;
    const delivery = await gateway.deliveryOf(sent.messageId);
    const stops = [
      sent.at,
      Date.parse(delivery?.created_at ?? ''),
      Date.parse(delivery?.attempts[0]?.started_at ?? ''),
      arrivedAt,
    ];
    const leg = (index: number) => (stops[index + 1] ?? Number.NaN) - (stops[index] ?? Number.NaN);
    ways.push({ total: arrivedAt - sent.at, delays: [leg(0), leg(1), leg(2)] });
  }
  return ways;
}

function at(times: readonly number[], q: number): number {
  return times.toSorted((a, b) => a - b)[Math.ceil(times.length * q) - 1] ?? Number.NaN;
}

function verdict(count: number, p99: number, times: number): string {
  const within = times <= allowedRatio ? 'within twice' : 'above twice';
  const few = count < enough ? ` (of ${count} only)` : '';
  return `${within}, ${p99 < allowedMs ? 'under' : 'above'} 1 s${few}`;
}
