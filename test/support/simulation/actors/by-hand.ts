/** A person edits a row in the console by mistake, and mostly puts it right later. */
import { drawnEdit, editRow } from '../edited-rows.ts';
import { between, oneOf } from '../random.ts';
import type { Actor } from './actor.ts';

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
  'refusals',
  'senders',
  'messages',
  'usage',
  'usage/messages',
  'usage/summary',
  'otp-holds',
] as const;

export const byHand = {
  'edits a row by hand': {
    uses: [],
    // In the runs of the theme `rows`.
    share: {},
    async act({ scene, random }) {
      const { stage } = scene;
      const edit = drawnEdit(stage, random);
      const client = oneOf(random, scene.clients);
      const [isLeft, isRotated] = [random() < 0.4, random() < 0.5];
      const read = [oneOf(random, lists), oneOf(random, lists)];
      const readByAdmin = [oneOf(random, adminLists), oneOf(random, adminLists)];
      const forMs = between(random, 1000, random() < 0.5 ? 60_000 : 1_800_000);
      if (edit === undefined) return;
      const { table, row, changes } = edit;
      const putRight = await editRow(stage, table, row, changes, true);
      await stage.time.sleep(forMs / 2);
      for (const route of read) await scene.ask(client, { route });
      for (const path of readByAdmin) await scene.askAsAdministrator('GET', path);
      if (table === 'ClientSecrets' && isRotated) await scene.ask(client, { route: 'rotateWebhookSecret' });
      if (isLeft && !neededToAsk.includes(table)) return;
      await stage.time.sleep(forMs / 2);
      await putRight?.();
    },
  },
} as const satisfies Record<string, Actor>;
