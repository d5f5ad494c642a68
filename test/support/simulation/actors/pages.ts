/** Reads of whole lists, page by page, while what they list changes. */
import type { RouteName } from '../../../../shared/contract/routes.ts';
import { endpointUrl } from '../outside/endpoints.ts';
import { listsRead } from '../outside/record.ts';
import { between, oneOf } from '../random.ts';
import { type Act, type Actor, everyTheme, known } from './actor.ts';
import { burst } from './edges.ts';

const pagesMax = 80;
const triesMax = 4;

/** Reads a list to its end; a caller that gets no page asks for it again. */
async function readsAll(act: Act, route: keyof typeof listsRead, query: Record<string, string>) {
  const { scene, client, random } = act;
  const { time, record } = scene.stage;
  const { field, id } = listsRead[route];
  const pauseMs = oneOf(random, [0, 300, 2000]);
  const read = { atMs: time.now(), clientId: client.clientId, route, query, ids: [] as string[] };
  let cursor: string | undefined;
  for (let pages = 0, tries = 0; pages < pagesMax && tries < triesMax; ) {
    const asked = await scene.ask(client, {
      route,
      query: { ...query, ...(cursor === undefined ? {} : { cursor }) },
    });
    await time.sleep(pauseMs);
    if (asked.status !== 200 || asked.lost === true) {
      tries += 1;
      continue;
    }
    pages += 1;
    read.ids.push(...(asked.answer[field] as Record<string, string>[]).map((each) => String(each[id])));
    cursor = asked.answer.next_cursor;
    if (cursor === undefined) break;
  }
  const isWhole = cursor === undefined && read.ids.length > 0;
  record.listsRead.push({ ...read, endedAtMs: time.now(), isWhole });
}

/** A change of what lists have, and of where they find it. */
async function changes(act: Act, round: number): Promise<unknown> {
  const { scene, client, random, id } = act;
  const chosen = random();
  const endpoint_id = known(random, client.endpoints);
  if (chosen < 0.4) return burst(act, 1, `beside-${round}`);
  if (chosen < 0.6) {
    const path = { recipient: encodeURIComponent(scene.person(random)) };
    return scene.ask(client, { route: 'putSuppression', path, body: {} });
  }
  if (chosen < 0.8 && endpoint_id !== undefined)
    return scene.ask(client, { route: 'deleteWebhookEndpoint', path: { endpoint_id } });
  const url = endpointUrl('ok', `${client.name}-${id}-beside-${round}`);
  const { status, answer, lost } = await scene.ask(client, { route: 'createWebhookEndpoint', body: { url } });
  if (status === 201 && lost !== true) client.endpoints.push(answer.endpoint_id);
  return undefined;
}

export const pages = {
  'reads all pages of a list while it changes': {
    uses: ['listWebhookDeliveries', 'listMessages', 'listSuppressions', 'deleteWebhookEndpoint'],
    share: { ...everyTheme(0.2), webhooks: 3, 'opt-outs': 1, administration: 1 },
    async act(act) {
      const { scene, random } = act;
      const { time } = scene.stage;
      await burst(act, 3, 'listed');
      await time.sleep(oneOf(random, [1500, 8000, 60_000]));
      const route = oneOf(random, [
        'listWebhookDeliveries',
        'listWebhookDeliveries',
        'listMessages',
        'listSuppressions',
      ] as const satisfies readonly RouteName[]);
      const query = { limit: oneOf(random, ['1', '3', '8']) };
      const changing = [1, 2, 3].map(async (round) => {
        await time.sleep(between(random, 0, 6000));
        await changes(act, round);
      });
      await Promise.all([readsAll(act, route, query), ...changing]);
    },
  },
  'tests an endpoint many times, and reads the log of it': {
    uses: ['createWebhookEndpoint', 'testWebhookEndpoint', 'listWebhookDeliveries'],
    share: { webhooks: 0.4 },
    async act(act) {
      const { scene, client, random, id } = act;
      const url = endpointUrl('ok', `${client.name}-${id}-tested`);
      const { status, answer } = await scene.ask(client, { route: 'createWebhookEndpoint', body: { url } });
      if (status !== 201) return;
      const path = { endpoint_id: String(answer.endpoint_id) };
      for (let i = 0; i < 60; i += 1) {
        await scene.ask(client, { route: 'testWebhookEndpoint', path, body: {} });
        await scene.stage.time.sleep(200);
      }
      await scene.stage.time.sleep(30_000);
      await readsAll(act, 'listWebhookDeliveries', { limit: oneOf(random, ['20', '50']) });
    },
  },
} as const satisfies Record<string, Actor>;
