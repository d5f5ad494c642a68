/**
 * What a replay costs live webhooks: one client asks for everything again that failed while its endpoint was down, beside
 * another client whose events happen at an even rate. Workers are killed on the way: that which resends, later those
 * that deliver what is resent.
 * `npm run bench -- replay [failed webhooks] [live events a second]`
 *
 * Fails unless the 99th percentile of the live events stays within twice its value without the replay, no resent webhook
 * takes a worker of the fast lane, and every failed webhook arrives once, the events of a message in their order; twice
 * only where the delivery's row tells that its worker died. Live events without the replay come before and after it, so
 * that a drift of the machine would be seen; then beside as many live events of a third client as the replay resends,
 * which shows what the load alone costs.
 */
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { printMachine } from './figures.ts';
import { liveEvents, newTarget, p99Of, printDelays, printSlowest, type Target } from './live-events.ts';
import { type OwnGateway, withOwnGateway } from './own-gateway.ts';

const failed = Number(process.argv[2] ?? 5000);
const perSecond = Number(process.argv[3] ?? 5);
const resendsPerSecond = 20;
/** Before, after, and beside the same load. */
const partSeconds = Math.min(60, Math.max(20, failed / resendsPerSecond / 2));
const allowedRatio = 2;
/** A killed run is continued within two minutes. */
const replaySecondsMax = 300 + (4 * failed) / resendsPerSecond;

await withOwnGateway(1, async (gateway) => {
  printMachine(`npm run bench -- replay ${failed} ${perSecond}`);
  const [live, down, third] = [
    await newTarget(gateway, 'live'),
    await newTarget(gateway, 'down'),
    await newTarget(gateway, 'third'),
  ];
  const messageIds = await gateway.failedWebhooks(down.clientId, down.endpoint.url, Math.ceil(failed / 2));
  const alone = (seconds: number) => liveEvents(gateway, live, perSecond, over(seconds));
  await liveEvents(gateway, live, perSecond, await onceAMinuteHasRun(gateway));
  const before = await alone(partSeconds);
  const replay = startReplay(gateway, down);
  const beside = await liveEvents(gateway, live, perSecond, () => replay.isOver());
  const outcome = await replay.ended;
  const rate = failed / outcome.seconds;
  const [sameLoad] = await Promise.all([
    alone(partSeconds),
    liveEvents(gateway, third, rate, over(partSeconds)),
  ]);
  const after = await alone(partSeconds);

  printDelays([
    ['without the replay', [before, after]],
    ['  before', [before]],
    ['  after', [after]],
    ['beside the replay', [beside]],
    [`beside ${rate.toFixed(1)} live events a second of a third client`, [sameLoad]],
  ]);
  await printSlowest(gateway, beside, 10);
  console.log(
    `\n${JSON.stringify(outcome.progress)}\n${outcome.killed}; ${outcome.seconds.toFixed(0)} s; load average ${loadavg()[0]?.toFixed(1)}`,
  );
  const isComplete = await verifyArrivals(gateway, down, messageIds);
  const liveIds = beside.arrivals.map(({ messageId }) => messageId);
  const [ofLive, ofResent] = [await inFastLane(gateway, liveIds), await inFastLane(gateway, messageIds)];
  console.log(
    `by workers of the fast lane: ${ofLive} of ${liveIds.length} live webhooks, ${ofResent} of ${messageIds.length} resent ones`,
  );
  const ratio = p99Of([beside]) / p99Of([before, after]);
  const met = ratio <= allowedRatio && isComplete && ofResent === 0;
  console.log(
    `p99 beside the replay ${ratio.toFixed(2)}× that without: ${met ? 'met' : 'not met'}; ` +
      `${(p99Of([beside]) / p99Of([sameLoad])).toFixed(2)}× that beside the same load`,
  );
  process.exitCode = met ? 0 : 1;
});
process.exit();

/** The functions that run each minute have started, which takes a part of the processor. */
async function onceAMinuteHasRun(gateway: OwnGateway): Promise<() => boolean> {
  const hasEnded = over(10);
  let hasRun = false;
  const watch = async () => {
    while (!hasRun) {
      hasRun = (await gateway.workers()).some(({ functionName }) => functionName.includes('SweepWebhooks'));
      await pause(1000);
    }
  };
  void watch();
  return () => hasRun && hasEnded();
}

function over(seconds: number): () => boolean {
  const endsAt = Date.now() + seconds * 1000;
  return () => Date.now() >= endsAt;
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

/** Asks for everything once; kills the run that resends when a third is done, and the workers that deliver at two thirds. */
function startReplay(gateway: OwnGateway, { clientId, endpoint }: Target) {
  let isOver = false;
  const path = '/api/v1/webhook-deliveries/resend';
  const run = async () => {
    const startedAt = Date.now();
    const since = new Date(startedAt - 3_600_000).toISOString();
    const wanted = { origin: new URL(endpoint.url).origin, since };
    const { resend_id } = await gateway.call(clientId, 'POST', path, wanted);
    const kills = [
      { functionName: 'SweepWebhooks', after: failed / 3 },
      { functionName: 'DeliverSlowWebhook', after: (2 * failed) / 3 },
    ];
    const killed: string[] = [];
    for (;;) {
      await pause(1000);
      const progress = await gateway.call(clientId, 'GET', `${path}/${String(resend_id)}`);
      const seconds = (Date.now() - startedAt) / 1000;
      const [next] = kills;
      if (next !== undefined && Number(progress.resent) >= next.after) {
        const count = await gateway.killWorkers(next.functionName);
        if (count > 0) killed.push(`${count} of ${next.functionName} killed after ${seconds.toFixed(0)} s`);
        if (count > 0) kills.shift();
      }
      const arrived = [...endpoint.events.values()].reduce((sum, events) => sum + new Set(events).size, 0);
      const isDone = progress.status === 'completed' && arrived >= failed;
      if (isDone || seconds > replaySecondsMax) return { progress, seconds, killed: killed.join(', ') };
    }
  };
  const ended = run().finally(() => {
    isOver = true;
  });
  return { ended, isOver: () => isOver };
}

/** Whether every event has arrived, in order, and once unless its worker died. */
async function verifyArrivals(
  gateway: OwnGateway,
  { endpoint }: Target,
  messageIds: readonly string[],
): Promise<boolean> {
  const found = { missing: 0, 'out of order': 0, 'twice by a killed worker': 0, 'twice without cause': 0 };
  for (const messageId of messageIds) {
    const events = endpoint.events.get(messageId) ?? [];
    for (const event of ['sms.sent', 'sms.delivered']) {
      const count = events.filter((one) => one === event).length;
      if (count === 0) found.missing += 1;
      if (count <= 1) continue;
      const delivery = await gateway.deliveryOf(messageId, event);
      const deaths = delivery?.interruptions ?? 0;
      found[count <= 1 + deaths ? 'twice by a killed worker' : 'twice without cause'] += 1;
    }
    if (events.lastIndexOf('sms.sent') > events.indexOf('sms.delivered')) found['out of order'] += 1;
  }
  console.log(`of ${2 * messageIds.length} resent webhooks: ${JSON.stringify(found)}`);
  return found.missing + found['out of order'] + found['twice without cause'] === 0;
}
