/** A row that survives the loss of its due items is reviewed again, whichever other tables are restored with them. */
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, it } from '@jest/globals';
import { restoreStage } from '../../../shared/restore/restore-stage.ts';
import { type RestorableTable, restorableTables } from '../../../shared/restore/table-rows.dynamo.ts';
import { newDelivery } from '../../../shared/webhook/delivery.ts';
import { newResend } from '../../../shared/webhook/log/resend.ts';
import { lostTable } from '../../support/restore/lost-table.ts';

const choices: readonly (readonly [string, readonly RestorableTable[]])[] = [
  ['no other table', ['due-items']],
  ['the tables of messages and webhooks', ['due-items', 'webhook-deliveries', 'messages']],
  ['every table', restorableTables],
];

it.each(choices)(
  'a message, a webhook and a resend of many that are newer than the time, with %s',
  async (_, restored) => {
    const gateway = lostTable(0);
    const { stores, tables, clock } = gateway;
    const to = gateway.rememberTables();
    gateway.pass(600);
    const accepted = await gateway.accept(2);
    const given = {
      client_id: 'client-1',
      event: 'webhook.test',
      url: 'https://a.example',
      body: '{}',
    } as const;
    const webhook = newDelivery({ ...given, delivery_id: 'whd_new', lane: 'fast' }, clock(), 30, 'r');
    await stores.deliveries.create(webhook);
    const filter = { state: 'failed', since: to.toISOString(), until: clock().toISOString() } as const;
    const wanted = { ...filter, resend_id: 'whr_new', client_id: 'client-1', actor: 'client-1' };
    await stores.resends.create(newResend(wanted, clock(), 30, 'r'));
    for (const { list, position } of tables.rows('due_items'))
      await tables.dynamo.send(
        new DeleteItemCommand({ TableName: tables.names.due_items, Key: marshall({ list, position }) }),
      );

    const asked = { to, tables: restored, decisions: {}, confirmed: true, canceled: false, again: false };
    expect(await restoreStage(gateway.dependencies(), asked)).toMatchObject({ step: 'done' });
    const reviewed = tables.rows('due_items').flatMap(({ ids }) => ids as string[]);
    expect(reviewed).toEqual(expect.arrayContaining([...accepted, webhook.delivery_id, 'whr_new']));
  },
);
