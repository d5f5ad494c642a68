/**
 * A stage of the last release, filled with data: upgraded to this code under traffic, rolled back, and upgraded again.
 * Nothing is lost or sent twice, limits and caps count on, and every id and credential of before is valid after.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Front } from '../../lib/local/front.ts';
import type { Checkout } from './checkout.ts';
import { commands } from './first-deploy.ts';
import { endOf, type Ground } from './ground.ts';
import {
  type Caller,
  caller,
  type Filled,
  fill,
  finalWithinMs,
  messagesPerDay,
  numbers,
  outbox,
  putLimits,
  whatsappPerDay,
} from './released-data.ts';
import { lastRelease } from './releases.ts';
import { startWebhookEndpoint } from './traffic.ts';
import { showWebhooks, takenDuring } from './under-traffic.ts';

const queuedMaxSeconds = 400;

export async function upgradeReleased(ground: Ground, front: Front, released: Checkout): Promise<void> {
  const { report, releases, endpoint } = ground;
  const bootstrapped = await ground.shellOfLastRelease(released.folder, 'npx cdk bootstrap');
  report.show(bootstrapped.status === 0, 'cdk bootstrap', endOf(bootstrapped.output));
  const deployed = await ground.shellOfLastRelease(released.folder, commands(ground).deploy);
  report.show(deployed.status === 0, `cdk deploy of release ${lastRelease.version}`, endOf(deployed.output));
  front.open({ endpoint, apiId: deployed.outputs.ApiId ?? '' });
  const day = today();
  const sender = await caller(ground, released);
  const limited = await caller(ground, released);
  await putLimits(ground, deployed.outputs.LimitOverridesTable ?? '', sender, limited);
  const failing = await startWebhookEndpoint({ isFailing: true });
  const registered = await startWebhookEndpoint();
  try {
    const before = await fill(ground, sender, limited, { failing: failing.url, registered: registered.url });
    const moveTo = (where: string, { folder }: Checkout) =>
      takenDuring(ground, sender.token, async () => {
        const shell = folder === released.folder ? ground.shellOfLastRelease : ground.shell;
        const { status, output } = await shell(folder, commands(ground).deploy);
        report.show(status === 0, `cdk deploy ${where}`, endOf(output));
      });
    const upgraded = await moveTo('to this code', releases.first);
    failing.accept();
    await showWebhooks(ground, upgraded);
    const rolledBack = await moveTo(`back to ${lastRelease.version}`, released);
    const upgradedAgain = await moveTo('to this code again', releases.first);
    // What this code put on a queue that the release before cannot read waits there, for as long as twelve receives take.
    await showWebhooks(ground, [...rolledBack, ...upgradedAgain], queuedMaxSeconds);
    await showKept(ground, sender, before);
    await showWebhook(ground, failing, before.retried);
    if (today() === day) await showCounted(ground, limited, before);
    else report.remark('limits and caps are not compared: a day ended meanwhile');
    await showHandedOverOnce(ground);
  } finally {
    failing.close();
    registered.close();
  }
}

const today = () => new Date().toISOString().slice(0, 10);

async function showKept(ground: Ground, sender: Caller, before: Filled): Promise<void> {
  const { report } = ground;
  const states = new Map<string, string>();
  const unfinished = () =>
    [...before.messages].filter(([id, wanted]) => !wanted.includes(states.get(id) ?? 'unknown'));
  for (
    const until = Date.now() + finalWithinMs;
    Date.now() < until && unfinished().length > 0;
    await pause(500)
  )
    for (const [id] of unfinished())
      states.set(id, String((await sender.request('GET', `/sms/status/${id}`)).body.status));
  report.show(
    unfinished().length === 0,
    `the ${before.messages.size} messages of before ended as they should`,
    JSON.stringify(unfinished().map(([id, wanted]) => [id, states.get(id), wanted])),
  );
  const { path, body, key, text } = before.keyed;
  const repeated = await sender.request('POST', path, body, key);
  report.show(
    repeated.isReplay && repeated.text === text,
    'a repeat gets the response of before',
    repeated.text,
  );
  const verified = await sender.request('POST', '/otp/verify', {
    otp_id: before.otp.otpId,
    code: before.otp.code,
  });
  report.show(verified.body.verified === true, 'a password of before is verified', verified.text);
  const endpoint = await sender.request('GET', `/webhook-endpoints/${before.endpointId}`);
  report.show(
    endpoint.status === 200 && endpoint.body.enabled === true,
    'its webhook endpoint is there and enabled',
    endpoint.text,
  );
  const refused = await sender.request('POST', '/sms/send', { to: before.suppressed, message: 'Not you' });
  const id = String(refused.body.message_id);
  let status = '';
  for (const until = Date.now() + finalWithinMs; Date.now() < until && status !== 'failed'; await pause(500))
    status = String((await sender.request('GET', `/sms/status/${id}`)).body.status);
  report.show(status === 'failed', 'a suppression of before holds', status);
}

async function showWebhook(
  { report }: Ground,
  failing: Awaited<ReturnType<typeof startWebhookEndpoint>>,
  retried: string,
): Promise<void> {
  const arrived = () => new Set(failing.events.get(retried)?.map(({ event }) => event));
  for (const until = Date.now() + finalWithinMs; Date.now() < until && arrived().size < 2; await pause(500));
  report.show(
    arrived().has('sms.sent') && arrived().has('sms.delivered'),
    'webhooks that failed before arrive by their retries',
    [...arrived()].join(),
  );
}

async function showCounted({ report }: Ground, limited: Caller, before: Filled): Promise<void> {
  const batch = await limited.request('GET', `/sms/status/${before.batchId}`);
  const number = numbers('+4479009');
  const statuses: number[] = [];
  const requests = Array.from({ length: whatsappPerDay.limit }, async () => {
    const { status } = await limited.request('POST', '/whatsapp/send', { to: number(), message: 'More' });
    statuses.push(status);
  });
  await Promise.all(requests);
  const accepted = statuses.filter((status) => status === 202).length;
  const left = whatsappPerDay.limit - whatsappPerDay.before;
  report.show(
    accepted === left && statuses.every((status) => status === 202 || status === 429),
    `a limit of ${whatsappPerDay.limit} a day, of which ${whatsappPerDay.before} were used, lets ${left} pass`,
    statuses.join(),
  );
  const capLeft = messagesPerDay.limit - messagesPerDay.before - left;
  const bulk = (size: number) =>
    limited.request('POST', '/sms/bulk', {
      message: 'All',
      recipients: Array.from({ length: size }, number),
    });
  const [tooMany, fitting] = [await bulk(capLeft + 1), await bulk(capLeft)];
  report.show(
    batch.status === 200 && tooMany.status === 429 && fitting.status === 202,
    `a cap of ${messagesPerDay.limit} messages a day lets the ${capLeft} that are left pass, and no more`,
    `${tooMany.text} ${fitting.text}`,
  );
}

/**
 * Reads what the simulated carrier was given. The emulator ends the processes of a function when its code changes, which AWS
 * does not: a worker that dies in its call is the one case in which another hands the message over again, by a new claim.
 */
async function showHandedOverOnce(ground: Ground): Promise<void> {
  const claims = new Map<string, number>();
  const messages = new Set<string>();
  for (const { message_id, handed_over } of await outbox(ground)) {
    const [, , attempt] = handed_over.split('#');
    const claim = `${message_id}#${attempt}`;
    claims.set(claim, (claims.get(claim) ?? 0) + 1);
    messages.add(message_id);
  }
  const twice = [...claims].filter(([, count]) => count > 1);
  ground.report.show(
    messages.size > 0 && twice.length === 0,
    `no claim of ${messages.size} messages was handed over twice`,
    JSON.stringify(twice),
  );
  const again = claims.size - messages.size;
  if (again > 0) ground.report.remark(`${again} were handed over again after their worker was ended`);
}
