/** Webhook URLs and endpoints, and their secrets. */
import { endpointKinds, endpointUrl, recoveringUrl } from '../outside/endpoints.ts';
import type { Asked } from '../outside/record.ts';
import { between, oneOf } from '../random.ts';
import { type Act, type Actor, known, learn } from './actor.ts';

/** The event filters of endpoints that do not receive every event. */
const choices: readonly [string[], ...string[][]] = [
  ['sms.delivered', 'sms.failed'],
  ['sms.sent'],
  ['whatsapp.*', 'sms.expired'],
  ['recipient.opted_out', 'recipient.opted_in'],
];

/** Asks until it is answered with this status, as a caller does who needs the answer. */
async function asksUntil(
  status: number,
  { scene, client }: Act,
  request: Parameters<Act['scene']['ask']>[1],
): Promise<Asked | undefined> {
  for (let tries = 0; tries < 10; tries += 1) {
    const asked = await scene.ask(client, request);
    if (asked.status === status && asked.lost !== true) return asked;
    await scene.stage.time.sleep(2000);
  }
  return undefined;
}

export const webhooks = {
  'sets its webhook URL': {
    uses: ['updateAccount'],
    share: { webhooks: 2 },
    async act({ scene, client, random, id }) {
      const url = random() < 0.2 ? null : endpointUrl(oneOf(random, endpointKinds), `${client.name}-${id}`);
      await scene.ask(client, { route: 'updateAccount', body: { webhook_url: url } });
    },
  },
  'adds an endpoint': {
    uses: ['createWebhookEndpoint'],
    share: { webhooks: 3, administration: 1 },
    async act({ scene, client, random, id }) {
      const times = random() < 0.3 ? 3 : 1;
      const answers = await Promise.all(
        Array.from({ length: times }, (_, i) =>
          scene.ask(client, {
            route: 'createWebhookEndpoint',
            body: {
              url: endpointUrl(oneOf(random, endpointKinds), `${client.name}-${id}-${i}`),
              events: random() < 0.4 ? oneOf(random, choices) : undefined,
            },
          }),
        ),
      );
      for (const { status, answer, lost } of answers)
        if (status === 201 && lost !== true) client.endpoints.push(answer.endpoint_id);
    },
  },
  'sends while endpoints cannot be read': {
    uses: ['createWebhookEndpoint', 'sendSms'],
    share: { webhooks: 1 },
    async act(act) {
      const { scene, client, random, id } = act;
      const url = endpointUrl('ok', `${client.name}-${id}-unread`);
      await scene.ask(client, { route: 'createWebhookEndpoint', body: { url } });
      scene.stage.breaks('WebhookEndpoints', 0.8, 20_000);
      for (let i = 0; i < 3; i += 1) {
        const body = {
          to: scene.person(random),
          message: 'while they cannot be read',
          reference: `${id}.${i}`,
        };
        learn(act, [await scene.ask(client, { route: 'sendSms', body })]);
      }
    },
  },
  'changes an endpoint': {
    uses: ['updateWebhookEndpoint'],
    share: { webhooks: 3 },
    async act({ scene, client, random, id }) {
      const endpoint_id = known(random, client.endpoints);
      if (endpoint_id === undefined) return;
      const body = oneOf<object>(random, [
        { enabled: false },
        { enabled: true },
        { description: id },
        { events: ['sms.delivered', 'sms.failed'] },
      ]);
      await scene.ask(client, { route: 'updateWebhookEndpoint', path: { endpoint_id }, body });
    },
  },
  'turns an endpoint off while its webhooks wait for a retry': {
    uses: ['createWebhookEndpoint', 'sendSms', 'updateWebhookEndpoint'],
    share: { webhooks: 2 },
    async act(act) {
      const { scene, client, random, id } = act;
      const url = endpointUrl('down', `${client.name}-${id}-off`);
      const { status, lost, answer } = await scene.ask(client, {
        route: 'createWebhookEndpoint',
        body: { url },
      });
      if (status !== 201 || lost === true) return;
      const body = { to: scene.person(random), message: 'to an endpoint that is turned off', reference: id };
      learn(act, [await scene.ask(client, { route: 'sendSms', body })]);
      // Between two of its attempts.
      await scene.stage.time.sleep(oneOf(random, [20_000, 90_000, 300_000]));
      const path = { endpoint_id: answer.endpoint_id };
      await scene.ask(client, { route: 'updateWebhookEndpoint', path, body: { enabled: false } });
    },
  },
  'removes an endpoint': {
    uses: ['deleteWebhookEndpoint'],
    share: { webhooks: 1 },
    async act({ scene, client, random }) {
      const endpoint_id = known(random, client.endpoints);
      if (endpoint_id === undefined) return;
      await scene.ask(client, { route: 'deleteWebhookEndpoint', path: { endpoint_id } });
    },
  },
  'rotates a webhook secret': {
    uses: ['rotateWebhookSecret', 'rotateWebhookEndpointSecret'],
    share: { webhooks: 2, administration: 1 },
    async act({ scene, client, random }) {
      const endpoint_id = known(random, client.endpoints);
      if (endpoint_id === undefined || random() < 0.5)
        await scene.ask(client, { route: 'rotateWebhookSecret' });
      else await scene.ask(client, { route: 'rotateWebhookEndpointSecret', path: { endpoint_id } });
    },
  },
  'tests an endpoint': {
    uses: ['testWebhookEndpoint'],
    share: { webhooks: 1 },
    async act({ scene, client, random }) {
      const endpoint_id = known(random, client.endpoints);
      if (endpoint_id === undefined) return;
      await scene.ask(client, { route: 'testWebhookEndpoint', path: { endpoint_id }, body: {} });
    },
  },
  'sends webhooks again': {
    uses: [
      'listWebhookDeliveries',
      'getWebhookDelivery',
      'resendWebhookDelivery',
      'resendWebhookDeliveries',
      'getWebhookResend',
    ],
    share: { webhooks: 2 },
    async act({ scene, client, random }) {
      if (random() < 0.5) {
        const since = new Date(scene.stage.time.now() - 3_600_000).toISOString();
        const origin = endpointUrl('flaky', '').slice(0, -1);
        const body = { origin, since, state: 'failed' };
        const { answer, status } = await scene.ask(client, { route: 'resendWebhookDeliveries', body });
        if (status !== 202) return;
        await scene.ask(client, { route: 'getWebhookResend', path: { resend_id: answer.resend_id } });
        return;
      }
      const { answer } = await scene.ask(client, { route: 'listWebhookDeliveries', query: { limit: '20' } });
      const listed: readonly { readonly delivery_id: string }[] = answer?.webhook_deliveries ?? [];
      const delivery_id = known(
        random,
        listed.map((each) => each.delivery_id),
      );
      if (delivery_id === undefined) return;
      await scene.ask(client, { route: 'getWebhookDelivery', path: { delivery_id } });
      await scene.ask(client, { route: 'resendWebhookDelivery', path: { delivery_id } });
    },
  },
  'asks again for a resend that is not completed': {
    uses: ['sendSms', 'resendWebhookDeliveries', 'getWebhookResend'],
    share: { webhooks: 3 },
    async act(act) {
      const { scene, client, random, id } = act;
      const { stage } = scene;
      const nowMs = stage.time.now();
      const webhook_url = recoveringUrl(nowMs, `${client.name}-${id}`);
      for (const reference of [`${id}.1`, `${id}.2`]) {
        const body = { to: scene.deliveredPerson(random), message: 'sent again', reference, webhook_url };
        learn(act, [await scene.ask(client, { route: 'sendSms', key: `again-${reference}`, body })]);
      }
      await stage.time.sleep(60_000);
      const since = new Date(nowMs - 1000 - 2 * scene.skewMaxMs).toISOString();
      const body = { origin: new URL(webhook_url).origin, since, state: 'acknowledged' };
      const pauseMs = between(random, 2, 40) * 60_000;
      // It begins, and neither the request nor the workers can go on with it.
      stage.breaks('webhook-deliveries Query WebhookDeliveries', 1, 8000);
      stage.breaks('deliver-webhook Query WebhookDeliveries', 1, pauseMs + 60_000);
      const first = await asksUntil(202, act, { route: 'resendWebhookDeliveries', body });
      await stage.time.sleep(pauseMs);
      const again = await asksUntil(202, act, { route: 'resendWebhookDeliveries', body });
      await stage.time.sleep(240_000);
      for (const resend_id of new Set([first, again].flatMap((one) => one?.answer.resend_id ?? [])))
        await asksUntil(200, act, { route: 'getWebhookResend', path: { resend_id } });
    },
  },
} as const satisfies Record<string, Actor>;
