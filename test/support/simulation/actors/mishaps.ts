/** Mishaps that one step brings about: responses that are lost after the call took effect, and rows that nobody can read. */

import { recoveringUrl } from '../outside/endpoints.ts';
import { whatsAppNumberId, whatsAppReportAndText } from '../outside/whatsapp-events.ts';
import { between, oneOf, wholeBetween } from '../random.ts';
import { type Actor, learn, ownPeople, send } from './actor.ts';
import { sends } from './days.ts';

const dayMs = 86_400_000;
/** A webhook has its last attempt in this time. */
const allAttemptsMs = 7.5 * 3_600_000;

export const mishaps = {
  'has an endpoint whose few failures are counted while responses are lost': {
    uses: ['createWebhookEndpoint', 'sendSms', 'getWebhookEndpoint'],
    share: { administration: 1.6 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      const startMs = stage.time.now();
      const url = recoveringUrl(startMs + 100 * dayMs, `${client.name}-${id}`);
      const body = { url, events: ['sms.sent'] };
      const { status, answer } = await scene.ask(client, { route: 'createWebhookEndpoint', body });
      // Three webhooks have 18 attempts, fewer than disable an endpoint.
      for (const day of [0.01, 0.5, 5.05]) {
        await stage.time.sleep(startMs + day * dayMs - stage.time.now());
        stage.breaks('deliver-webhook UpdateItem WebhookEndpoints', 0.6, allAttemptsMs, 'fails after');
        await sends(act, `at-${day}`, { to: scene.deliveredPerson(random) });
      }
      await stage.time.sleep(allAttemptsMs);
      if (status !== 201) return;
      const path = { endpoint_id: String(answer.endpoint_id) };
      await scene.ask(client, { route: 'getWebhookEndpoint', path });
    },
  },
  'writes by WhatsApp in one notification with a report that cannot be recorded': {
    uses: ['sendWhatsApp'],
    share: { 'opt-outs': 3 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      const [to = ''] = ownPeople(act, 1);
      const body = { to, message: 'please write back', reference: id };
      learn(act, [await scene.ask(client, { route: 'sendWhatsApp', body })]);
      const edited = await scene.addUnreadable(id);
      await stage.time.sleep(between(random, 60_000, 90_000));
      const text = oneOf(random, ['STOP', 'STOP', 'Hello']);
      stage.record.wrote.push({ atMs: stage.time.now(), from: to, to: whatsAppNumberId, text });
      stage.publish(whatsAppReportAndText(`${edited}.1`, id, to, text, stage.time.now()));
    },
  },
  'sends what is reported with a time in microseconds': {
    uses: ['sendSms'],
    share: { messages: 2 },
    async act(act) {
      const { random } = act;
      const to = `+44770098${String(10 * wholeBetween(random, 0, 999)).padStart(4, '0')}`;
      await send(act, 'sendSms', { to, message: 'when was it?' });
    },
  },
  'sends with fallbacks whose legs other writes keep from being stored at first': {
    uses: ['sendSms'],
    share: { caps: 1, administration: 2 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      const after_seconds = wholeBetween(random, 60, 90);
      const sends = ['1', '2', '3', '4', '5'].map((name) => {
        const to = scene.silentPerson(random);
        const fallback = [{ channel: 'whatsapp', after_seconds }];
        const body = { to, message: 'or by WhatsApp', fallback, reference: `${id}.${name}` };
        return scene.ask(client, { route: 'sendSms', body });
      });
      learn(act, await Promise.all(sends));
      await stage.time.sleep(after_seconds * 1000 - 5000);
      stage.breaks('dispatch-message TransactWriteItems Messages', 1, 40_000, 'conflicts with a transaction');
    },
  },
} as const satisfies Record<string, Actor>;
