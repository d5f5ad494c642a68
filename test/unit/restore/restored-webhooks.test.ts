/** A restore ends open webhooks as failed, as any other that failed, ends resends of many, and reviews what survived. */
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, it } from '@jest/globals';
import { type RestoreRun, restorePage } from '../../../shared/restore/restore-page.ts';
import { restoreStage } from '../../../shared/restore/restore-stage.ts';
import { type RestorableTable, restorableTables } from '../../../shared/restore/table-rows.dynamo.ts';
import { alertFailure } from '../../../shared/webhook/deliver/alert-failure.ts';
import { type Delivery, newDelivery, nextStep } from '../../../shared/webhook/delivery.ts';
import { failuresOf, isLastFailure } from '../../../shared/webhook/log/find-deliveries.ts';
import { newResend, type Resend } from '../../../shared/webhook/log/resend.ts';
import { sweep } from '../../../shared/webhook/sweep-deliveries.ts';
import { neverSetAside } from '../../support/doubles/never-set-aside.ts';
import { lostTable } from '../../support/restore/lost-table.ts';

const client = 'client-a';

function deliveryOf(name: string, at: Date, more: Partial<Delivery>): Delivery {
  const given = {
    delivery_id: `whd_${name}`,
    client_id: client,
    event: 'webhook.test',
    url: 'https://endpoint.example.com/hook',
    body: '{}',
    lane: 'fast',
  } as const;
  return { ...newDelivery(given, at, 30, `r ${name}`), ...more };
}

function resendOf(name: string, since: Date, until: Date): Resend {
  const times = { since: since.toISOString(), until: until.toISOString() };
  const asked = {
    state: 'failed',
    ...times,
    resend_id: `whr_${name}`,
    client_id: client,
    actor: client,
  } as const;
  return newResend(asked, until, 30, `r ${name}`);
}

const runOf = ({ clock }: ReturnType<typeof lostTable>, ...restored: RestorableTable[]): RestoreRun => ({
  restoreId: 'restore',
  stoppedAt: clock(),
  restored: new Set(restored),
  evidence: { messages: new Map(), streamSince: null, settings: [], batches: [], counted: new Map() },
});

it.each([1, 2])(
  'each webhook that it ends has one entry and one alert, where its page is restored %i times',
  async (times) => {
    const gateway = lostTable(0);
    const { stores, clock, tables } = gateway;
    const at = clock();
    const later = (seconds: number) => new Date(at.getTime() + seconds * 1000).toISOString();
    const ended = { state: 'failed', finished_at: later(0) } as const;
    const open = [
      deliveryOf('pending', at, {}),
      deliveryOf('attempting', at, { state: 'attempting', lease_until: later(60) }),
      // Its next attempt is due long after the restore.
      deliveryOf('retry', at, { state: 'retry_scheduled', attempt_number: 5, attempt_due_at: later(20_000) }),
    ];
    const unalerted = deliveryOf('unalerted', at, { ...ended, alert_pending: true });
    const others = [
      deliveryOf('failed', at, ended),
      deliveryOf('acknowledged', at, { state: 'acknowledged' }),
    ];
    for (const one of [...open, unalerted, ...others]) await stores.deliveries.create(one);
    const lost = tables.rows('webhook_deliveries').map((row) => marshall(row));
    for (const { delivery_id } of lost)
      await tables.dynamo.send(
        new DeleteItemCommand({
          TableName: tables.names.webhook_deliveries,
          Key: { delivery_id: delivery_id ?? { S: '' } },
        }),
      );
    gateway.pass(600);

    const run = runOf(gateway, 'webhook-deliveries');
    const reported: string[] = [];
    for (let time = 1; time <= times; time += 1) {
      await restorePage(gateway.dependencies(), run, 'webhook-deliveries', lost, { unknownWebhooks: 'fail' });
      gateway.pass(120);
      await sweepAndAlert();
    }
    const failed = [...open, unalerted].map(({ delivery_id }) => delivery_id).toSorted();
    expect(reported.toSorted()).toEqual(failed);
    const query = { clientId: client, since: at, until: clock(), limit: 100 };
    const { failures } = await failuresOf(stores, query);
    expect(
      failures
        .filter((failure) => isLastFailure(failure, clock().toISOString()))
        .map(({ delivery }) => delivery.delivery_id)
        .toSorted(),
    ).toEqual(failed);
    for (const id of failed) expect((await stores.deliveries.get(id))?.alert_pending).toBeUndefined();

    /** What the run of each minute enqueues, and what a worker does with a webhook whose alert is pending. */
    async function sweepAndAlert(): Promise<void> {
      const enqueued: string[] = [];
      const run = {
        ...stores,
        queue: {
          async send(_lane: unknown, entries: readonly { readonly message: object }[]) {
            for (const { message } of entries)
              enqueued.push((message as { readonly delivery_id: string }).delivery_id);
          },
        },
        accountUrlOf: async () => undefined,
        setAside: neverSetAside,
        clock,
        budgetMs: 60_000,
      };
      expect(await sweep(run as never)).toMatchObject({ failures: [] });
      for (const id of enqueued) {
        const row = await stores.deliveries.get(id);
        if (row === undefined || nextStep(row, clock()).kind !== 'alert')
          throw new Error(`${id} has no alert`);
        const reportFailedDelivery = ({ delivery_id }: Delivery) => void reported.push(delivery_id);
        await alertFailure({ ...stores, reportFailedDelivery, newRevision: () => `alerted ${id}` }, row);
      }
    }
  },
);

it.each<[Resend['status'], string | undefined]>([
  ['matching', undefined],
  ['sending', undefined],
  ['completed', 'completed'],
])(
  'a resend of many that was %s at the time does not go on (contract 8.8, 12.4)',
  async (status, restored) => {
    const gateway = lostTable(0);
    const until = gateway.clock();
    const { resend_id, ...rest } = resendOf('1', new Date(until.getTime() - 3_600_000), until);
    const row = { delivery_id: resend_id, resend_id, ...rest, status };
    const item = marshall(row, { removeUndefinedValues: true });
    const position = `${until.toISOString()}#${resend_id}`;
    const due = marshall({ list: 'resends#0', position, ids: [resend_id] });
    const run = runOf(gateway, 'due-items', 'webhook-deliveries');
    const decisions = { unknownWebhooks: 'fail', unknownMessages: 'fail' } as const;
    await restorePage(gateway.dependencies(), run, 'webhook-deliveries', [item], decisions);
    await restorePage(gateway.dependencies(), run, 'due-items', [due], decisions);
    expect((await gateway.stores.resends.get(resend_id))?.status).toBe(restored);
    expect(gateway.tables.rows('due_items')).toEqual([]);
  },
);

it.each<[string, readonly RestorableTable[]]>([
  ['no other table', ['due-items']],
  ['the tables of messages and webhooks', ['due-items', 'webhook-deliveries', 'messages']],
  ['every table', restorableTables],
])(
  'rows that are newer than lost due items are reviewed, if these are restored with %s',
  async (_, restored) => {
    const gateway = lostTable(0);
    const { stores, tables, clock } = gateway;
    const to = gateway.rememberTables();
    gateway.pass(600);
    const accepted = await gateway.accept(2);
    await stores.deliveries.create(deliveryOf('new', clock(), {}));
    await stores.resends.create(resendOf('new', to, clock()));
    for (const { list, position } of tables.rows('due_items'))
      await tables.dynamo.send(
        new DeleteItemCommand({ TableName: tables.names.due_items, Key: marshall({ list, position }) }),
      );

    const asked = { to, tables: restored, decisions: {}, confirmed: true, canceled: false, again: false };
    expect(await restoreStage(gateway.dependencies(), asked)).toMatchObject({ step: 'done' });
    const reviewed = tables.rows('due_items').flatMap(({ ids }) => ids as string[]);
    expect(reviewed).toEqual(expect.arrayContaining([...accepted, 'whd_new', 'whr_new']));
  },
);
