/**
 * What many endpoints that hang at once cost an endpoint that answers, and how soon a killed worker's deliveries are
 * made again. One client's endpoint answers 5 events a second; each of 20 other clients has one event a second. Their
 * endpoints are new and hang, then answer (the same load, to compare with), then begin to hang all at once; at last
 * workers are killed in the middle of POSTs. Everything counts, from the first event on.
 * `npm run bench -- many-hang [seconds of each part] [hanging endpoints]`
 *
 * Fails unless, beside endpoints that hang, the 99th percentile is within twice its value under the same load and under
 * a second, every event of a hanging endpoint has its first attempt within 30 s, and after the kills none is missing and
 * each has an attempt that ended within 35 s.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { printMachine, printTable, quantile } from './figures.ts';
import { type BenchWebhookEndpoint, type OwnGateway, withOwnGateway } from './own-gateway.ts';

const seconds = Number(process.argv[2] ?? 60);
const hangingEndpoints = Number(process.argv[3] ?? 20);
const healthyPerSecond = 5;
const hangingPerSecond = 1;
/** Beyond the first retry, after which nothing is left of endpoints that answer again. */
const settleSeconds = 33;
const allowed = { p99Ms: 1000, ratio: 2, firstAttemptMs: 30_000, recoveryMs: 35_000 };
/** A kill hits POSTs: the endpoint takes this long to answer. */
const slowAnswerMs = 250;
const kills = { everyMs: 2000, count: 8 };
/** All that is sent arrives within this time, or is missing. */
const waitMaxSeconds = 60;

interface Target {
  readonly clientId: string;
  readonly webhookEndpoint: BenchWebhookEndpoint;
  readonly perSecond: number;
}

interface Sent {
  readonly target: Target;
  readonly messageId: string;
  readonly at: number;
}

await withOwnGateway(1, async (gateway) => {
  printMachine(`npm run bench -- many-hang ${seconds} ${hangingEndpoints}`);
  const healthy = await targetOf(gateway, 'healthy', healthyPerSecond, (response) => response.end());
  await traffic(gateway, [healthy], 10);

  const first = await manyOf(gateway, false);
  const newOnes = await part(gateway, 'beside new ones that hang', healthy, first.targets);
  first.answer(true);
  await pause(settleSeconds * 1000);

  const second = await manyOf(gateway, true);
  const reference = await part(gateway, 'the same load, all answer', healthy, second.targets);
  second.answer(false);
  const turned = await part(gateway, 'beside ones that begin to hang', healthy, second.targets);
  second.answer(true);
  await pause(settleSeconds * 1000);

  printTable(
    [
      'event to POST, ms',
      'n',
      'p50',
      'p99',
      'max',
      'missing',
      'to the others: n',
      'p50',
      'p99',
      'max',
      'missing',
      'processes',
      'load',
    ],
    [newOnes, reference, turned].map((one) => [
      one.name,
      ...cellsOf(one.healthy),
      ...cellsOf(one.others),
      one.processes,
      one.load,
    ]),
  );
  const verdicts = [newOnes, turned].map((one) => {
    const ratio = one.healthy.p99 / reference.healthy.p99;
    const met =
      one.healthy.p99 < allowed.p99Ms &&
      ratio <= allowed.ratio &&
      one.healthy.missing + one.others.missing === 0 &&
      one.others.max <= allowed.firstAttemptMs;
    console.log(`${one.name}: p99 ${ratio.toFixed(2)}× the same load: ${met ? 'met' : 'not met'}`);
    return met;
  });
  verdicts.push(await killed(gateway));
  process.exitCode = verdicts.every(Boolean) ? 0 : 1;
});
process.exit();

async function targetOf(
  gateway: OwnGateway,
  name: string,
  perSecond: number,
  answer: Parameters<OwnGateway['webhookEndpoint']>[0],
): Promise<Target> {
  const clientId = await gateway.newClient(name);
  return { clientId, webhookEndpoint: await gateway.webhookEndpoint(answer), perSecond };
}

/** Endpoints that hang or answer, as the caller sets them; set to answer, they also answer what waits. */
async function manyOf(gateway: OwnGateway, answers: boolean) {
  let answering = answers;
  const waiting: (() => void)[] = [];
  const targets = await Promise.all(
    Array.from({ length: hangingEndpoints }, (_, i) =>
      targetOf(gateway, `endpoint ${i}`, hangingPerSecond, (response) => {
        if (answering) response.end();
        else waiting.push(() => response.end());
      }),
    ),
  );
  return {
    targets,
    answer(yes: boolean) {
      answering = yes;
      if (yes) for (const end of waiting.splice(0)) end();
    },
  };
}

/** Each target gets its events evenly, one target a little after the other. */
async function traffic(
  gateway: OwnGateway,
  targets: readonly Target[],
  forSeconds: number,
): Promise<readonly Sent[]> {
  const planned = targets
    .flatMap((target, place) =>
      Array.from({ length: forSeconds * target.perSecond }, (_, i) => ({
        target,
        atMs: ((i + place / targets.length) * 1000) / target.perSecond,
      })),
    )
    .toSorted((a, b) => a.atMs - b.atMs);
  const startedAt = Date.now();
  const sending: Promise<Sent>[] = [];
  for (const { target, atMs } of planned) {
    await pause(Math.max(0, startedAt + atMs - Date.now()));
    const at = Date.now();
    const { clientId, webhookEndpoint } = target;
    sending.push(
      gateway.sent(clientId, webhookEndpoint.url).then((messageId) => ({ target, messageId, at })),
    );
  }
  const sent = await Promise.all(sending);
  const deadline = Date.now() + waitMaxSeconds * 1000;
  while (delaysOf(sent).missing > 0 && Date.now() < deadline) await pause(100);
  return sent;
}

async function part(gateway: OwnGateway, name: string, healthy: Target, others: readonly Target[]) {
  const processes = gateway.processes();
  const sent = await traffic(gateway, [healthy, ...others], seconds);
  const ran = {
    name,
    healthy: delaysOf(sent.filter(({ target }) => target === healthy)),
    others: delaysOf(sent.filter(({ target }) => target !== healthy)),
    processes: `${processes} to ${gateway.processes()}`,
    load: loadavg()[0]?.toFixed(1) ?? '',
  };
  process.stderr.write(`${name}: ${cellsOf(ran.healthy).join('  ')} | ${cellsOf(ran.others).join('  ')}\n`);
  return ran;
}

/** Kills every delivery worker again and again while an endpoint takes its time to answer. */
async function killed(gateway: OwnGateway): Promise<boolean> {
  const target = await targetOf(gateway, 'killed', healthyPerSecond, (response) => {
    setTimeout(() => response.end(), slowAnswerMs);
  });
  const killing = (async () => {
    let workers = 0;
    for (let i = 0; i < kills.count; i += 1) {
      await pause(kills.everyMs);
      workers += await gateway.killWorkers('DeliverWebhook');
    }
    return workers;
  })();
  const sent = await traffic(gateway, [target], (kills.count * kills.everyMs) / 1000);
  const workers = await killing;
  const delays = delaysOf(sent);
  // A worker that was killed after its POST began, and before its outcome was written: the endpoint sees it again.
  await pause(allowed.recoveryMs);
  const posts = sent.map(({ messageId }) => target.webhookEndpoint.posts.get(messageId) ?? 0);
  const repeated = posts.filter((count) => count > 1).length;
  const states = await Promise.all(sent.map(({ messageId }) => gateway.deliveryOf(messageId)));
  const attempts = states.flatMap((delivery) => delivery?.attempts ?? []);
  const unfinished = states.filter((delivery) => delivery?.state !== 'acknowledged').length;
  // From the event to the last attempt: the POST of a killed worker counts only when it is made again.
  const recoveredMs = Math.max(
    ...states.map(
      (delivery, i) => Date.parse(delivery?.attempts.at(-1)?.started_at ?? '') - (sent[i]?.at ?? 0),
    ),
  );
  console.log(
    `\n${workers} workers killed in ${(kills.count * kills.everyMs) / 1000} s: ${sent.length} events, ` +
      `${delays.missing} missing, ${unfinished} not acknowledged, ${repeated} posted twice, ` +
      `${attempts.length} attempts recorded; last attempt at most ${(recoveredMs / 1000).toFixed(1)} s after the event`,
  );
  return delays.missing + unfinished === 0 && recoveredMs <= allowed.recoveryMs;
}

interface Delays {
  readonly n: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly missing: number;
}

function delaysOf(sent: readonly Sent[]): Delays {
  const delays = sent.flatMap(({ target, messageId, at }) => {
    const arrivedAt = target.webhookEndpoint.arrivals.get(messageId);
    return arrivedAt === undefined ? [] : [arrivedAt - at];
  });
  return {
    n: delays.length,
    p50: quantile(delays, 0.5),
    p99: quantile(delays, 0.99),
    max: Math.max(...delays),
    missing: sent.length - delays.length,
  };
}

function cellsOf({ n, p50, p99, max, missing }: Delays): string[] {
  return [n, p50, p99, max, missing].map(String);
}
