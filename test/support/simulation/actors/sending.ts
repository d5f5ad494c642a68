/** What clients send. */
import { bulkRecipientsMax } from '../../../../shared/message/send/bulk-recipients.ts';
import { between, oneOf, wholeBetween } from '../random.ts';
import { type Actor, everyTheme, known, laterThan, learn, send, texts } from './actor.ts';
import { burst } from './edges.ts';

export const sending = {
  'sends an SMS': {
    uses: ['sendSms'],
    share: { ...everyTheme(3), messages: 10, limits: 20, caps: 10, webhooks: 6 },
    act: (act) =>
      send(act, 'sendSms', {
        to: act.scene.person(act.random),
        message: oneOf(act.random, texts),
        ...(act.random() < 0.2 ? { type: 'promotional' } : {}),
      }),
  },
  'sends in a burst': {
    uses: ['sendSms'],
    share: { limits: 6, caps: 4, messages: 1 },
    async act(act) {
      const { scene, client, random, id } = act;
      if (random() < 0.3) scene.stage.breaks('Messages', 0.3, 4000, 'fails after');
      const answers = await Promise.all(
        Array.from({ length: wholeBetween(random, 4, 14) }, (_, i) =>
          scene.ask(client, {
            route: 'sendSms',
            body: {
              to: scene.person(random),
              message: 'one of many',
              validity_period: 900,
              reference: `${id}.${i}`,
            },
          }),
        ),
      );
      learn(act, answers);
    },
  },
  'sends by WhatsApp': {
    uses: ['sendWhatsApp'],
    share: { messages: 4, caps: 2 },
    act: (act) =>
      send(act, 'sendWhatsApp', {
        to: act.scene.person(act.random),
        message: oneOf(act.random, texts),
        ...(act.random() < 0.2 ? { fallback: [{ channel: 'sms', after_seconds: 60 }] } : {}),
      }),
  },
  'sends with a fallback': {
    uses: ['sendSms'],
    share: { messages: 2, caps: 3 },
    act: (act) =>
      send(act, 'sendSms', {
        to: act.scene.person(act.random),
        message: 'with a fallback',
        fallback: [{ channel: 'whatsapp', after_seconds: wholeBetween(act.random, 30, 300) }],
      }),
  },
  'sends with a fallback, and uses up its cap meanwhile': {
    uses: ['sendSms'],
    share: { caps: 3 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { time } = scene.stage;
      await time.sleep(60_000 - (time.now() % 60_000) + 5000);
      const sent = await scene.ask(client, {
        route: 'sendSms',
        body: {
          ...{ to: scene.throttledPerson(random), message: 'waits for its carrier', reference: id },
          fallback: [{ channel: 'whatsapp', after_seconds: 60 }],
        },
      });
      learn(act, [sent]);
      await time.sleep(48_000);
      for (let round = 0; round < 4; round += 1) {
        await burst(act, 8, `fills-${round}`);
        await time.sleep(3000);
      }
    },
  },
  'repeats a bulk, and sends one after it': {
    uses: ['sendBulkSms', 'sendSms'],
    share: { bulk: 4 },
    async act(act) {
      const { scene, client, random, id } = act;
      const recipients = Array.from({ length: 12 }, (_, i) => ({
        to: `+4477009${20_000 + (wholeBetween(random, 0, 900) + i) * 10}`,
      }));
      const body = { message: `To some of ${id}`, recipients, reference: id, validity_period: 1800 };
      for (let repeats = 0; repeats < 5; repeats += 1) {
        learn(act, [await scene.ask(client, { route: 'sendBulkSms', key: `repeated-${id}`, body })]);
        await scene.stage.time.sleep(between(random, 100, 500));
      }
      const after = { to: '+447700920010', message: 'after the bulk', reference: `${id}.after` };
      learn(act, [await scene.ask(client, { route: 'sendSms', body: after })]);
    },
  },
  'sends to many': {
    uses: ['sendBulkSms'],
    share: { bulk: 8, caps: 6, limits: 2, messages: 1, schedules: 2 },
    act(act) {
      const { random, scene, id } = act;
      const count = oneOf(random, [2, 4, 9]);
      const recipients = Array.from({ length: count }, (_, i) => ({
        to:
          random() < 0.5
            ? scene.person(random)
            : `+44770091${String(wholeBetween(random, 0, 999) * 10 + (i % 10)).padStart(4, '0')}`,
        variables: { name: `N${i}` },
      }));
      const at = random() < 0.3 ? { scheduled_at: laterThan(scene, between(random, 61, 1800)) } : {};
      return send(act, 'sendBulkSms', { message: `Hello {{name}} of ${id}`, recipients, ...at });
    },
  },
  'schedules an SMS': {
    uses: ['sendSms'],
    share: { schedules: 12, messages: 1, 'opt-outs': 2 },
    act: (act) =>
      send(act, 'sendSms', {
        to: act.scene.person(act.random),
        message: 'scheduled',
        scheduled_at: laterThan(act.scene, between(act.random, 61, 2400)),
      }),
  },
  'cancels a scheduled message': {
    uses: ['cancelMessage'],
    share: { schedules: 5 },
    async act({ scene, client, random }) {
      const message_id = known(random, client.scheduled);
      if (message_id !== undefined) await scene.ask(client, { route: 'cancelMessage', path: { message_id } });
    },
  },
  'sends to a thousand': {
    uses: ['sendBulkSms'],
    // Only runs of a theme that names this step use it.
    share: {},
    act(act) {
      const first = 30_000 + (Number(act.id) - 1) * bulkRecipientsMax;
      const recipients = Array.from({ length: bulkRecipientsMax }, (_, i) => ({
        to: `+4477009${first + i}`,
      }));
      return send({ ...act, random: () => 0.99 }, 'sendBulkSms', { message: 'To all', recipients });
    },
  },
  'sends to very many, while another client sends one': {
    uses: ['sendBulkSms'],
    share: { bulk: 3, schedules: 6 },
    async act(act) {
      const { scene, random, id } = act;
      const first = wholeBetween(random, 0, 900);
      // Messages for two seconds, at any pace.
      const paces = scene.stage.record.edited.map(({ row }) => Number(row?.messages_per_second));
      const count = Math.max(30, ...paces.filter(Number.isFinite).map((pace) => 2 * pace));
      // Numbers that the carrier neither refuses nor throttles, which would slow the sender down.
      const recipients = Array.from({ length: count }, (_, i) => ({
        to: `+4477009${20_000 + (first + i) * 10}`,
      }));
      const request = {
        route: 'sendBulkSms',
        key: `key-${id}`,
        body: {
          message: `To all of ${id}`,
          recipients,
          reference: id,
          validity_period: 1800,
          ...(random() < 0.5 ? { scheduled_at: laterThan(scene, between(random, 1000, 2000)) } : {}),
        },
      } as const;
      const repeats = wholeBetween(random, 1, 3);
      const all = Array.from({ length: repeats }, async (_, i) => {
        await scene.stage.time.sleep(i * 400);
        return scene.ask(act.client, request);
      });
      learn(act, await Promise.all(all));
      const other = scene.clients.at(-1) ?? act.client;
      await send({ ...act, client: other, id: `${id}-other` }, 'sendSms', {
        to: scene.person(random),
        message: 'beside the many',
      });
    },
  },
} as const satisfies Record<string, Actor>;
