/** Reads of what the steps before made. */
import { oneOf } from '../random.ts';
import { type Actor, everyTheme, known } from './actor.ts';

export const reading = {
  reads: {
    uses: [
      'getMessageStatus',
      'listMessages',
      'getAccount',
      'listSuppressions',
      'listWebhookEndpoints',
      'getWebhookEndpoint',
    ],
    share: everyTheme(1),
    async act({ scene, client, random }) {
      const message_id = known(random, client.messages);
      if (message_id !== undefined)
        await scene.ask(client, { route: 'getMessageStatus', path: { message_id } });
      const route = oneOf(random, [
        'listMessages',
        'getAccount',
        'listSuppressions',
        'listWebhookEndpoints',
      ] as const);
      await scene.ask(client, { route });
      const endpoint_id = known(random, client.endpoints);
      if (endpoint_id !== undefined)
        await scene.ask(client, { route: 'getWebhookEndpoint', path: { endpoint_id } });
    },
  },
} as const satisfies Record<string, Actor>;
