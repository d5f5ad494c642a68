/** What happens at the edges: of windows, of how often a person gets a password, of how many endpoints a client has. */
import { policies } from '../../../../shared/contract/rate-limits-and-caps.ts';
import { endpointUrl } from '../outside/endpoints.ts';
import { whatsAppInbound, whatsAppNumberId } from '../outside/whatsapp-events.ts';
import { between, oneOf, type Random, wholeBetween } from '../random.ts';
import { type Act, type Actor, learn } from './actor.ts';
import { writes } from './consent.ts';

/** Several sends at once, without keys. */
export async function burst(
  act: Act,
  count: number,
  name: string,
  route: 'sendSms' | 'sendWhatsApp' = 'sendSms',
): Promise<void> {
  const { scene, client, random, id } = act;
  const answers = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      scene.ask(client, {
        route,
        body: {
          ...{ to: scene.person(random), message: 'at an edge', validity_period: 900 },
          reference: `${id}.${name}.${i}`,
        },
      }),
    ),
  );
  learn(act, answers);
}

/** The topic delivers each notification at least once. */
function sometimesAgain(random: Random): number | undefined {
  return random() < 0.5 ? between(random, 20_000, 120_000) : undefined;
}

export const edges = {
  'sends across the end of a minute': {
    uses: ['sendSms'],
    share: { limits: 5 },
    async act(act) {
      const { time } = act.scene.stage;
      const endMs = Math.ceil((time.now() + 3000) / 60_000) * 60_000;
      await time.sleep(endMs - time.now() - between(act.random, 800, 3000));
      await burst(act, 14, 'before');
      await time.sleep(Math.max(0, endMs - time.now()) + between(act.random, 600, 2500));
      await burst(act, 2, 'after');
    },
  },
  'sends what nobody reports about, and whose review at its end fails': {
    uses: ['sendSms'],
    share: { messages: 2 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      const validity_period = wholeBetween(random, 300, 1500);
      const sends = ['1', '2', '3'].map((name) =>
        scene.ask(client, {
          route: 'sendSms',
          body: {
            ...{ to: scene.silentPerson(random), message: 'until its end', validity_period },
            reference: `${id}.${name}`,
          },
        }),
      );
      learn(act, await Promise.all(sends));
      await stage.time.sleep(validity_period * 1000 - 60_000);
      stage.disturb(180_000);
      stage.breaks('queue-due-rows', 0.5, 180_000);
    },
  },
  'sends what a carrier tells only who asks, and cannot be asked at first': {
    uses: ['sendSms'],
    share: { messages: 2, otp: 1 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      const validity_period = wholeBetween(random, 120, 400);
      for (const last of [0, 10, 3, 5]) {
        const to = `+44770096${String(wholeBetween(random, 0, 99)).padStart(2, '0')}${String(last).padStart(2, '0')}`;
        const body = { to, message: 'until it is asked', validity_period, reference: `${id}.${last}` };
        learn(act, [await scene.ask(client, { route: 'sendSms', body })]);
      }
      await stage.time.sleep(validity_period * 1000 - 20_000);
      if (random() < 0.6) stage.breaks('infobip', 0.6, 200_000);
      else stage.breaks('queue-due-rows', 1, 1_100_000);
    },
  },
  'sends what is reported late, while deliveries cannot be stored for minutes': {
    uses: ['sendSms'],
    share: { messages: 1, webhooks: 2 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      const lateMinutes = wholeBetween(random, 10, 20);
      for (const last of [0, 10, 20]) {
        const to = `+44770097${lateMinutes}${String(last).padStart(2, '0')}`;
        const webhook_url = endpointUrl('ok', `${client.name}-${id}-${last}`);
        const body = { to, message: 'reported late', webhook_url, reference: `${id}.${last}` };
        learn(act, [await scene.ask(client, { route: 'sendSms', body })]);
      }
      await stage.time.sleep(lateMinutes * 60_000 - 3000);
      stage.disturb(130_000);
      stage.breaks('relay-changes PutItem WebhookDeliveries', 1, 120_000);
    },
  },
  'changes a large limit again and again': {
    uses: ['sendSms'],
    share: { limits: 0.3 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { endpoint } = policies.sms_send;
      for (let changes = 50; changes > 0; changes -= 1) {
        const per_minute = oneOf(random, [40_000, 200_000]) + (changes % 2) * 50_000;
        const row = { endpoint, per_minute, per_hour: 1_000_000, per_day: 10_000_000 };
        await scene.edit('LimitOverrides', { client_id: client.clientId, ...row, note: `large, of ${id}` });
        // It is in force, and another minute.
        await scene.stage.time.sleep(61_000);
        await burst(act, 1, `large ${changes}`);
      }
    },
  },
  'has one window raised so that more rows count, and fills another': {
    uses: ['sendSms'],
    share: { limits: 2 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { endpoint } = policies.sms_send;
      const row = { client_id: client.clientId, endpoint, per_hour: 1_000_000, per_day: 12 };
      await scene.edit('LimitOverrides', { ...row, per_minute: 30, note: `one row, of ${id}` });
      await scene.stage.time.sleep(61_000);
      await burst(act, 8, 'before');
      await scene.edit('LimitOverrides', {
        ...{ ...row, per_minute: oneOf(random, [40_000, 90_000]) },
        note: `more rows, of ${id}`,
      });
      await scene.stage.time.sleep(61_000);
      await burst(act, 8, 'after');
    },
  },
  'sets a limit that ends': {
    uses: ['sendWhatsApp'],
    share: { limits: 2, administration: 2 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { time } = scene.stage;
      const endsAtMs = time.now() + between(random, 20_000, 90_000);
      await scene.edit(
        'LimitOverrides',
        {
          ...{ client_id: client.clientId, endpoint: 'POST /api/v1/whatsapp/send', per_minute: 2 },
          ...{ expires_at: new Date(endsAtMs).toISOString(), note: `ends, of ${id}` },
        },
        endsAtMs,
      );
      await time.sleep(endsAtMs - time.now() + 65_000);
      await burst(act, 4, 'ended', 'sendWhatsApp');
    },
  },
  'sends many passwords to one person': {
    uses: ['sendOtp'],
    share: { otp: 4, caps: 1 },
    async act(act) {
      const { scene, client, random, id } = act;
      const to = scene.person(random);
      for (let round = 0; round < 3; round += 1) {
        const answers = await Promise.all(
          Array.from({ length: wholeBetween(random, 2, 4) }, (_, i) =>
            scene.ask(client, {
              route: 'sendOtp',
              key: random() < 0.5 ? undefined : `many-${id}-${round}-${i}`,
              body: { to, ttl: 300, max_attempts: 3, purpose: oneOf(random, ['default', 'login']) },
            }),
          ),
        );
        learn(act, answers);
        for (const { status, lost, answer } of answers)
          if (status === 202 && lost !== true) client.otps.push({ otpId: answer.otp_id, to });
        await scene.stage.time.sleep(oneOf(random, [500, 60_000, 200_000, 330_000]));
      }
    },
  },
  'sends a password again after a wrong code': {
    uses: ['sendOtp', 'verifyOtp'],
    share: { otp: 4 },
    async act(act) {
      const { scene, client, random } = act;
      const body = { to: scene.person(random), ttl: 300, max_attempts: 5, purpose: `again-${act.id}` };
      const sent = await scene.ask(client, { route: 'sendOtp', body });
      if (sent.status !== 202 || sent.lost === true) return;
      await scene.ask(client, { route: 'verifyOtp', body: { otp_id: sent.answer.otp_id, code: '111111' } });
      learn(act, [sent, await scene.ask(client, { route: 'sendOtp', body })]);
    },
  },
  'sends a password to a suppressed person': {
    uses: ['putSuppression', 'sendOtp'],
    share: { 'opt-outs': 3 },
    async act(act) {
      const { scene, client, random } = act;
      const to = scene.person(random);
      const path = { recipient: encodeURIComponent(to) };
      await scene.ask(client, { route: 'putSuppression', path, body: {} });
      await scene.stage.time.sleep(20_000);
      learn(act, [await scene.ask(client, { route: 'sendOtp', body: { to } })]);
    },
  },
  'texts after messages of several clients': {
    uses: ['sendSms'],
    share: { 'opt-outs': 8 },
    async act(act) {
      const { scene, random, id } = act;
      const { stage, clients } = scene;
      const to = scene.person(random);
      for (const client of clients) {
        const body = { to, message: 'from one of several', reference: `${id}.${client.name}` };
        learn({ ...act, client }, [await scene.ask(client, { route: 'sendSms', body })]);
        await stage.time.sleep(between(random, 3000, 8000));
      }
      await stage.time.sleep(40_000);
      if (random() < 0.3) stage.breaks('relay-changes', 0.5, 90_000);
      for (const [i, text] of oneOf(random, [
        ['STOP'],
        ['STOP', 'START'],
        ['START', 'STOP'],
        ['STOP', 'START', 'STOP'],
        ['Hello'],
        ['Hello'],
        ['Hello'],
      ]).entries()) {
        writes(scene, to, text, `${id}-${i}`, { againAfterMs: sometimesAgain(random) });
        await stage.time.sleep(between(random, 2000, 4000));
      }
      // A text that is read again later is still the answer to what came before it.
      const body = { to, message: 'after their text', reference: `${id}.after` };
      learn(act, [await scene.ask(act.client, { route: 'sendSms', body })]);
    },
  },
  'writes several times by WhatsApp': {
    uses: ['sendWhatsApp'],
    share: { 'opt-outs': 5 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      const to = scene.person(random);
      const body = { to, message: 'please write back' };
      learn(act, [await scene.ask(client, { route: 'sendWhatsApp', body })]);
      await stage.time.sleep(40_000);
      for (let i = 0; i < 4; i += 1) {
        stage.record.wrote.push({ atMs: stage.time.now(), from: to, to: whatsAppNumberId, text: 'Hello' });
        const event = whatsAppInbound(`${id}-${i}`, to, 'Hello', stage.time.now());
        stage.publish(event, sometimesAgain(random));
        await stage.time.sleep(between(random, 5, oneOf(random, [600, 5000])));
      }
    },
  },
  'adds more endpoints than it may have': {
    uses: ['createWebhookEndpoint', 'listWebhookEndpoints'],
    share: { webhooks: 1 },
    async act({ scene, client, id }) {
      for (let round = 0; round < 3; round += 1) {
        const answers = await Promise.all(
          Array.from({ length: 4 }, (_, i) =>
            scene.ask(client, {
              route: 'createWebhookEndpoint',
              body: { url: endpointUrl('ok', `${client.name}-${id}-${round}-${i}`) },
            }),
          ),
        );
        for (const { status, answer, lost } of answers)
          if (status === 201 && lost !== true) client.endpoints.push(answer.endpoint_id);
      }
      await scene.ask(client, { route: 'listWebhookEndpoints' });
    },
  },
} as const satisfies Record<string, Actor>;
