/** Webhook URLs and endpoints, and their secrets. */
import { endpointKinds, endpointUrl } from '../outside/endpoints.ts';
import { oneOf } from '../random.ts';
import { type Actor, known, learn } from './actor.ts';

/** What endpoints ask for that do not take every event. */
const choices: readonly [string[], ...string[][]] = [
  ['sms.delivered', 'sms.failed'],
  ['sms.sent'],
  ['whatsapp.*', 'sms.expired'],
];

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
} as const satisfies Record<string, Actor>;
