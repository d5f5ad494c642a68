/** A person edits a row in the console by mistake, and mostly puts it right later. */
import { drawnEdit, editRow } from '../edited-rows.ts';
import type { listsRead } from '../outside/record.ts';
import { between, oneOf } from '../random.ts';
import type { Actor } from './actor.ts';
import { writes } from './consent.ts';
import { sends } from './days.ts';
import { readsAll } from './pages.ts';

/** Without these no request of a client is answered, the last ones with which a run is judged neither. */
const neededToAsk: readonly string[] = ['ApiKeys', 'Clients', 'LimitOverrides', 'RateCounters'];
/** What one malformed row must not hide, or make fail. */
const lists = [
  'getAccount',
  'listMessages',
  'listWebhookDeliveries',
  'listWebhookEndpoints',
  'listSuppressions',
] as const;
const adminLists = [
  'activity',
  'clients',
  'client-names',
  'limits',
  'senders',
  'messages',
  'usage',
  'usage/messages',
  'usage/summary',
  'otp-holds',
] as const;

/** The lists that show rows of the edited table. */
const listOf: Readonly<Record<string, keyof typeof listsRead>> = {
  Messages: 'listMessages',
  WebhookDeliveries: 'listWebhookDeliveries',
  Suppressions: 'listSuppressions',
};
const isPerson = (value: unknown): value is string =>
  typeof value === 'string' && /^\+4477009\d{5}$/.test(value);

export const byHand = {
  'edits a row by hand': {
    uses: [],
    // In the runs of the theme `rows`.
    share: {},
    async act(act) {
      const { scene, random, id } = act;
      const { stage, editedTable: table = '' } = scene;
      const edit = drawnEdit(stage, random, table);
      const isLeft = random() < 0.4;
      const route = oneOf(random, lists);
      const readByAdmin = [oneOf(random, adminLists), oneOf(random, adminLists)];
      const forMs = between(random, 10_000, random() < 0.5 ? 120_000 : 1_800_000);
      if (edit === undefined) return;
      const { row, changes } = edit;
      const concerned = scene.clients.find(({ clientId }) => JSON.stringify(row).includes(clientId));
      const client = concerned ?? oneOf(random, scene.clients);
      const person: unknown = Reflect.get(row.recipient ?? {}, 'S');
      const putRight = await editRow(stage, table, row, changes, true);
      await stage.time.sleep(forMs / 2);
      if (table === 'ClientSecrets') await scene.ask(client, { route: 'rotateWebhookSecret' });
      if (table === 'Suppressions' && isPerson(person)) {
        writes(scene, person, 'START', id);
        await stage.time.sleep(60_000);
      }
      const to = isPerson(person) ? person : scene.deliveredPerson(random);
      await sends({ ...act, client }, 'meanwhile', { to });
      const list = listOf[table];
      await (list === undefined
        ? scene.ask(client, { route })
        : readsAll({ ...act, client }, list, { limit: '2' }));
      for (const path of readByAdmin) await scene.askAsAdministrator('GET', path);
      if (isLeft && !neededToAsk.includes(table)) return;
      await stage.time.sleep(forMs / 2);
      await putRight?.();
    },
  },
} as const satisfies Record<string, Actor>;
