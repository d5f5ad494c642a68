/** Actors whose work takes hours or days: keys and passwords after their end, webhooks that failed permanently, endpoints that stay down. */

import { retryDelaysSeconds } from '../../../../shared/contract/webhook-worker-times.ts';
import { endpointUrl, recoveringUrl, recoversForATimeUrl } from '../outside/endpoints.ts';
import type { Asked } from '../outside/record.ts';
import { between, oneOf, wholeBetween } from '../random.ts';
import type { Stage } from '../stage.ts';
import { type Act, type Actor, learn } from './actor.ts';
import { codeSentTo, refused, tokenOf } from './attempts.ts';
import { burst } from './edges.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** After this a webhook has had all its attempts. */
const allAttemptsMs = 7.5 * hourMs;
/** The last attempt is this long after the first. */
const lastAttemptMs = retryDelaysSeconds.reduce((sum, seconds) => sum + seconds * 1000, 0);

/** Waits, and then things go wrong again for two minutes. */
async function waits({ scene: { stage } }: Act, ms: number): Promise<void> {
  await stage.time.sleep(ms);
  stage.disturb(120_000);
}

/** Waits until it is so, for so long at most: it looks as often as an endpoint takes at least to answer. */
async function until({ time }: Stage, mostMs: number, isSo: () => boolean): Promise<void> {
  for (const endMs = time.now() + mostMs; time.now() < endMs && !isSo(); ) await time.sleep(20);
}

export async function sends(act: Act, name: string, more: object = {}): Promise<Asked> {
  const { scene, client, random, id } = act;
  const body = { to: scene.person(random), message: 'over days', reference: `${id}.${name}`, ...more };
  const asked = await scene.ask(client, { route: 'sendSms', key: `days-${id}-${name}`, body });
  learn(act, [asked]);
  return asked;
}

export const days = {
  'uses a key again a day later': {
    uses: ['sendSms'],
    share: { messages: 0.5, caps: 0.5 },
    async act(act) {
      const { scene, client, random } = act;
      const { status, lost, key, body } = await sends(act, 'again');
      if (status !== 202 || lost === true) return;
      await waits(act, dayMs + between(random, 60_000, 600_000));
      const again = { route: 'sendSms', key } as const;
      await scene.ask(client, { ...again, body, must: refused('5.6', 202) });
      const another = { ...Object(body), message: 'another' };
      await scene.ask(client, { ...again, body: another, must: refused('5.6', 422) });
    },
  },
  'sends on the next day too': {
    uses: ['sendSms'],
    share: { caps: 0.7, limits: 0.3 },
    async act(act) {
      const { time } = act.scene.stage;
      await burst(act, 6, 'today');
      const midnight = Math.ceil(time.now() / dayMs) * dayMs;
      await waits(act, midnight - time.now() + between(act.random, 1000, 60_000));
      await burst(act, 6, 'tomorrow');
    },
  },
  'uses the previous secret after its end': {
    uses: ['issueToken'],
    share: { administration: 1.5 },
    async act({ scene, client }) {
      const { clientId, clientSecret: previous } = client;
      const path = `clients/${clientId}/secret`;
      const { status, lost, answer } = await scene.askAsAdministrator('POST', path, { overlap_hours: 1 });
      if (status !== 200 || lost === true) return;
      client.clientSecret = String(answer.client_secret);
      await scene.stage.time.sleep(hourMs + 61_000 + 2 * scene.skewMaxMs);
      await tokenOf(scene, clientId, previous, {}, refused('2.6', 401));
    },
  },
  'verifies a password a day after its end, and gets another': {
    uses: ['sendOtp', 'verifyOtp'],
    share: { otp: 0.7 },
    async act(act) {
      const { scene, client, random } = act;
      const body = { to: scene.person(random), ttl: 60, purpose: `daily-${act.id}` };
      const sent = await scene.ask(client, { route: 'sendOtp', body });
      learn(act, [sent]);
      if (sent.status !== 202 || sent.lost === true) return;
      await waits(act, between(random, 0.9 * dayMs, 1.1 * dayMs));
      const code = codeSentTo(scene, body.to) ?? '111111';
      const verify = { otp_id: sent.answer.otp_id, code };
      await scene.ask(client, { route: 'verifyOtp', body: verify, must: refused('5.10', 404, 409, 410) });
      learn(act, [await scene.ask(client, { route: 'sendOtp', body })]);
    },
  },
  'completes hours later a bulk that failed': {
    uses: ['sendBulkSms'],
    share: { bulk: 1.5, messages: 0.3 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      const first = wholeBetween(random, 0, 900);
      const recipients = Array.from({ length: wholeBetween(random, 3, 12) }, (_, i) => ({
        to: `+4477009${20_000 + (first + i) * 10}`,
      }));
      const body = { message: `To some of ${id}`, recipients, reference: id, validity_period: 6 * 3600 };
      const request = { route: 'sendBulkSms', key: `half-${id}`, body } as const;
      // Its batch is stored, and its messages are not.
      stage.breaks('Messages', oneOf(random, [0.8, 1]), 40_000);
      learn(act, [await scene.ask(client, request)]);
      // By now the scan for missed messages has read the time of the first request.
      await waits(act, between(random, 145, 200) * 60_000);
      stage.breaks('relay', 0.5, 60_000);
      learn(act, [await scene.ask(client, request)]);
    },
  },
  'sends again what is shown as failed': {
    uses: ['sendSms', 'listWebhookDeliveries', 'resendWebhookDelivery', 'resendWebhookDeliveries'],
    share: { webhooks: 1 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      const startMs = stage.time.now();
      const urls = [0, 1, 2, 3, 4, 5].map((ms) =>
        recoveringUrl(startMs + lastAttemptMs + 240_000 + ms, `${client.name}-${id}`),
      );
      for (const [i, url] of urls.entries())
        await sends(act, `shown-${i}`, { to: scene.refusedPerson(random), webhook_url: url });
      await stage.time.sleep(startMs + lastAttemptMs - 5000 - stage.time.now());
      stage.disturb(180_000);
      stage.breaks('deliver-webhook', 0.55, 100_000);
      const sinceMs = startMs - 1000 - 2 * scene.skewMaxMs;
      const query = { state: 'failed', limit: '50', since: new Date(sinceMs).toISOString() };
      const toAsk = new Set(urls);
      const asksAtOnce = random() < 0.6;
      const failed = (): number => urls.filter((url) => postsTo(url) > retryDelaysSeconds.length).length;
      const postsTo = (url: string): number => stage.record.posted.filter((one) => one.url === url).length;
      for (let looks = 0, seen = 0; looks < 30 && toAsk.size > 0; looks += 1) {
        // `asksAtOnce` requests the resend as soon as the endpoint has refused the last attempt.
        await until(stage, 4000, () => asksAtOnce && failed() > seen);
        seen = failed();
        const { answer } = await scene.ask(client, { route: 'listWebhookDeliveries', query });
        const shown: readonly Record<string, string>[] = answer?.webhook_deliveries ?? [];
        const failures = new Map(shown.map(({ url = '', delivery_id = '' }) => [url, delivery_id]));
        const found = [...failures].filter(([url]) => toAsk.has(url));
        if (found.length > 0 && !asksAtOnce) await stage.time.sleep(2 * scene.skewMaxMs);
        for (const [url, delivery_id] of found) {
          if (random() < 0.45) {
            toAsk.delete(url);
            await scene.ask(client, { route: 'resendWebhookDelivery', path: { delivery_id } });
            continue;
          }
          // Sends a new request each time. The same request would return the first resend.
          const since = new Date(sinceMs - looks).toISOString();
          const body = { origin: new URL(url).origin, since, state: 'failed' };
          const { status } = await scene.ask(client, { route: 'resendWebhookDeliveries', body });
          if (status === 202) toAsk.delete(url);
        }
      }
    },
  },
  'sends again what an endpoint missed for hours': {
    uses: [
      'sendSms',
      'listWebhookDeliveries',
      'resendWebhookDelivery',
      'resendWebhookDeliveries',
      'getWebhookResend',
    ],
    share: { webhooks: 1, messages: 0.3 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { time } = scene.stage;
      const startMs = time.now();
      const url = recoveringUrl(startMs + lastAttemptMs + 90_000, `${client.name}-${id}`);
      for (let count = wholeBetween(random, 1, 3); count > 0; count -= 1)
        await sends(act, `missed-${count}`, { webhook_url: url });
      const asksSoon = random() < 0.5;
      if (asksSoon) {
        // Its failure may be entered in the activity log, and not be noted as entered, until a worker repeats it.
        await time.sleep(startMs + lastAttemptMs - 5000 - time.now());
        scene.stage.breaks('WebhookDeliveries', 0.6, 120_000);
        await time.sleep(between(random, 130_000, 165_000) + 2 * scene.skewMaxMs);
      } else await waits(act, allAttemptsMs + between(random, 0, 1_800_000));
      const several = async (ask: () => Promise<Asked>): Promise<readonly Asked[]> => {
        const second = time.sleep(between(random, 0, 500)).then(ask);
        return Promise.all(random() < 0.5 ? [ask(), second] : [second]);
      };
      if (random() < 0.5) {
        const body = {
          origin: new URL(url).origin,
          since: new Date(startMs - 1000 - scene.skewMaxMs).toISOString(),
          ...(asksSoon ? { state: 'failed' } : {}),
        };
        const answers = await several(() => scene.ask(client, { route: 'resendWebhookDeliveries', body }));
        await time.sleep(1_200_000);
        for (const { status, answer } of answers)
          if (status === 202)
            await scene.ask(client, { route: 'getWebhookResend', path: { resend_id: answer.resend_id } });
        return;
      }
      const query = { state: 'failed', limit: '50' };
      const { answer } = await scene.ask(client, { route: 'listWebhookDeliveries', query });
      const listed: readonly Record<string, string>[] = answer?.webhook_deliveries ?? [];
      for (const { delivery_id = '' } of listed.filter((one) => one.url === url))
        await several(() => scene.ask(client, { route: 'resendWebhookDelivery', path: { delivery_id } }));
    },
  },
  'keeps an endpoint whose last attempt in five days disables it': {
    uses: ['createWebhookEndpoint', 'sendSms', 'getWebhookEndpoint'],
    share: { webhooks: 0.7 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      const startMs = stage.time.now();
      const create = (url: string, events?: readonly string[]): Promise<Asked> =>
        scene.ask(client, { route: 'createWebhookEndpoint', body: { url, events } });
      const endMs = startMs + 4.8 * dayMs + lastAttemptMs;
      // It acknowledges nothing, or only what is sent on the third day or just before the end, which cannot be counted at once.
      const upMs = oneOf(random, [startMs + 2 * dayMs, endMs - 20_000, startMs + 100 * dayMs]);
      const isLate = upMs === endMs - 20_000;
      const url = recoversForATimeUrl(upMs, isLate ? endMs - 5000 : upMs + 900_000, `${client.name}-${id}`);
      const down = await create(url, ['sms.sent']);
      await create(endpointUrl('ok', `${client.name}-${id}-told`));
      for (const day of [0, 0.02, 1, 2, 3, 4, 4.8]) {
        await stage.time.sleep(Math.max(0, startMs + day * dayMs - stage.time.now()));
        await sends(act, `at-${day}`, { to: scene.deliveredPerson(random) });
        if (stage.time.now() < upMs || day > 2) continue;
        await until(stage, 600_000, () =>
          stage.record.posted.some((one) => one.url === url && one.status === 200),
        );
        stage.breaks('WebhookEndpoints', 1, 3000);
      }
      // The attempt that disables the endpoint is the last of its webhook: no other finds the notice pending.
      await stage.time.sleep((isLate ? upMs : endMs - 5000) - stage.time.now());
      if (isLate) {
        await sends(act, 'at-end', { to: scene.deliveredPerson(random) });
        await until(stage, 15_000, () =>
          stage.record.posted.some((one) => one.url === url && one.status === 200),
        );
        // No worker can count the success for more than a minute.
        stage.breaks('deliver-webhook UpdateItem WebhookEndpoints', 1, 80_000);
      } else stage.breaks('deliver-webhook', 0.55, 100_000);
      await stage.time.sleep(hourMs);
      if (down.status !== 201) return;
      const path = { endpoint_id: String(down.answer.endpoint_id) };
      await scene.ask(client, { route: 'getWebhookEndpoint', path });
    },
  },
  'keeps an endpoint that is down for days': {
    uses: ['createWebhookEndpoint', 'sendSms', 'getWebhookEndpoint'],
    share: { webhooks: 0.3, administration: 0.1 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { time } = scene.stage;
      const upMs = time.now() + between(random, 1, 3.5) * dayMs;
      const path = `${client.name}-${id}`;
      // Few attempts over more than five days leave an endpoint enabled.
      const isSeldom = random() < 0.4;
      const url =
        random() < 0.5 && !isSeldom
          ? recoversForATimeUrl(upMs, upMs + 1.1 * dayMs, path)
          : recoveringUrl(time.now() + 100 * dayMs, path);
      const create = (url: string): Promise<Asked> =>
        scene.ask(client, { route: 'createWebhookEndpoint', body: { url } });
      const down = await create(url);
      await create(endpointUrl('ok', `${path}-told`));
      for (let day = 0; day < 8; day += 1) {
        if (!isSeldom || day === 0 || day > 5) await sends(act, `day-${day}`);
        await waits(act, between(random, 0.9, 1.02) * dayMs);
      }
      if (down.status !== 201) return;
      const endpoint = { endpoint_id: String(down.answer.endpoint_id) };
      await scene.ask(client, { route: 'getWebhookEndpoint', path: endpoint });
    },
  },
} as const satisfies Record<string, Actor>;
