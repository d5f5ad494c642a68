/**
 * What a replay costs live webhooks: one client asks for everything again that failed while its endpoint was down, beside
 * another client whose events happen at an even rate. The process that resends is killed on the way.
 * `npm run bench:replay -- [failed webhooks] [live events a second]`
 *
 * Fails unless the 99th percentile of the live events stays within twice its value without the replay, no resent webhook
 * takes a worker of the fast lane, and every failed webhook arrives once, the events of a message in their order. Live events without the replay come before and after it,
 * so that a drift of the machine would be seen.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { printMachine, printTable, quantile } from './figures.ts';
import { type BenchWebhookEndpoint, type OwnGateway, withOwnGateway } from './own-gateway.ts';

const failed = Number(process.argv[2] ?? 5000);
const perSecond = Number(process.argv[3] ?? 5);
const resendsPerSecond = 20;
/** As long as the replay in all. */
const aloneSeconds = Math.max(20, failed / resendsPerSecond / 2);
const allowedRatio = 2;
const patienceSeconds = 60;
/** A killed run is continued within two minutes. */
const replaySecondsMax = 300 + (4 * failed) / resendsPerSecond;

interface Live {
  readonly clientId: string;
  readonly endpoint: BenchWebhookEndpoint;
}

await withOwnGateway(1, async (gateway) => {
  printMachine(`npm run bench:replay -- ${failed} ${perSecond}`);
  const live = await target(gateway, 'live');
  const down = await target(gateway, 'down');
  const messageIds = await gateway.failedWebhooks(down.clientId, down.endpoint.url, Math.ceil(failed / 2));
  const forSeconds = (seconds: number) => {
    const endsAt = Date.now() + seconds * 1000;
    return () => Date.now() >= endsAt;
  };
  await traffic(gateway, live, forSeconds(10));
  const before = await traffic(gateway, live, forSeconds(aloneSeconds));
  const replay = startReplay(gateway, down);
  const beside = await traffic(gateway, live, () => replay.isOver());
  const outcome = await replay.ended;
  const after = await traffic(gateway, live, forSeconds(aloneSeconds));

  const alone = [...before, ...after];
  const rows: [string, readonly Arrival[]][] = [
    ['without the replay', alone],
    ['  before', before],
    ['  after', after],
    ['beside the replay', beside],
  ];
  printTable(
    ['live: event to POST, ms', 'n', 'p50', 'p99', 'max', 'missing'],
    rows.map(([name, arrivals]) => {
      const delays = arrivals.map(({ delayMs }) => delayMs);
      const arrived = delays.filter((delay) => delay !== undefined);
      const cells = [arrived.length, ...[0.5, 0.99, 1].map((q) => quantile(arrived, q))];
      return [name, ...cells.map(String), String(delays.length - arrived.length)];
    }),
  );
  const p99 = (arrivals: readonly Arrival[]) =>
    quantile(
      arrivals.map(({ delayMs }) => delayMs ?? Number.POSITIVE_INFINITY),
      0.99,
    );
  const ratio = p99(beside) / p99(alone);
  const { events } = down.endpoint;
  const eventsOf = (id: string) => events.get(id) ?? [];
  const missing = messageIds.filter((id) => new Set(eventsOf(id)).size < 2).length;
  const doubled = messageIds.filter((id) => eventsOf(id).length > 2).length;
  const outOfOrder = messageIds.filter(
    (id) => eventsOf(id).indexOf('sms.delivered') < eventsOf(id).indexOf('sms.sent'),
  ).length;
  console.log(
    `\n${JSON.stringify(outcome.progress)}\n${outcome.killed} workers killed; ${outcome.seconds.toFixed(0)} s; of ${messageIds.length} messages ` +
      `${missing} lack an event, ${doubled} have one twice, ${outOfOrder} out of order; load average ${loadavg()[0]?.toFixed(1)}`,
  );
  const liveIds = beside.map(({ messageId }) => messageId);
  const [ofLive, ofResent] = [await inFastLane(gateway, liveIds), await inFastLane(gateway, messageIds)];
  console.log(
    `by workers of the fast lane: ${ofLive} of ${liveIds.length} live webhooks, ${ofResent} of ${messageIds.length} resent ones`,
  );
  const met = ratio <= allowedRatio && missing + doubled + outOfOrder + ofResent === 0;
  console.log(`p99 beside the replay ${ratio.toFixed(2)}× that without: ${met ? 'met' : 'not met'}`);
  process.exitCode = met ? 0 : 1;
});
process.exit();

async function target(gateway: OwnGateway, name: string): Promise<Live> {
  const clientId = await gateway.newClient(name);
  return { clientId, endpoint: await gateway.webhookEndpoint((response) => response.end()) };
}

/** How many of these messages' first events were posted by workers of the fast lane. */
async function inFastLane(gateway: OwnGateway, messageIds: readonly string[]): Promise<number> {
  let count = 0;
  for (const messageId of messageIds) {
    const delivery = await gateway.deliveryOf(messageId);
    if (delivery?.lane === 'fast') count += 1;
  }
  return count;
}

interface Arrival {
  readonly messageId: string;
  readonly at: number;
  /** Undefined if it did not arrive. */
  readonly delayMs: number | undefined;
}

/** How long each event took to arrive. */
async function traffic(
  gateway: OwnGateway,
  { clientId, endpoint }: Live,
  isOver: () => boolean,
): Promise<readonly Arrival[]> {
  const startedAt = Date.now();
  const sending: Promise<{ readonly messageId: string; readonly at: number }>[] = [];
  for (let i = 0; !isOver(); i += 1) {
    await pause(Math.max(0, startedAt + (i * 1000) / perSecond - Date.now()));
    const at = Date.now();
    sending.push(gateway.sent(clientId, endpoint.url).then((messageId) => ({ messageId, at })));
  }
  const sent = await Promise.all(sending);
  const deadline = Date.now() + patienceSeconds * 1000;
  const isMissing = () => sent.some(({ messageId }) => !endpoint.arrivals.has(messageId));
  while (isMissing() && Date.now() < deadline) await pause(100);
  return sent.map(({ messageId, at }) => {
    const arrivedAt = endpoint.arrivals.get(messageId);
    return { messageId, at, delayMs: arrivedAt === undefined ? undefined : arrivedAt - at };
  });
}

/** Asks for everything once, and kills the run that resends when a third is done. */
function startReplay(gateway: OwnGateway, { clientId, endpoint }: Live) {
  let over = false;
  const path = '/api/v1/webhook-deliveries/resend';
  const run = async () => {
    const startedAt = Date.now();
    const since = new Date(startedAt - 3_600_000).toISOString();
    const wanted = { origin: new URL(endpoint.url).origin, since };
    const { resend_id } = await gateway.call(clientId, 'POST', path, wanted);
    let killed = 0;
    for (;;) {
      await pause(1000);
      const progress = await gateway.call(clientId, 'GET', `${path}/${String(resend_id)}`);
      const seconds = (Date.now() - startedAt) / 1000;
      if (killed === 0 && Number(progress.resent) >= failed / 3) {
        killed = await gateway.killWorkers('SweepWebhooks');
      }
      const posts = [...endpoint.posts.values()].reduce((sum, count) => sum + count, 0);
      const isDone = progress.status === 'completed' && posts >= failed;
      if (isDone || seconds > replaySecondsMax) return { progress, seconds, killed };
    }
  };
  const ended = run().finally(() => {
    over = true;
  });
  return { ended, isOver: () => over };
}
