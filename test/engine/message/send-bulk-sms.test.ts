/** A bulk of up to 1,000: each row checked and reported, and all accepted ones stored once, whatever happens meanwhile. */

import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import { getStatus } from '../../../shared/message/status-and-cancel.ts';
import { claimMessage, transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { readMessage, readMessages } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { engineClient } from '../../support/engine/engine.ts';
import { storesIn } from '../../support/engine/stores.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { Killed } from '../../support/faults/kill-process.ts';
import { type BulkBody, sendBulk } from '../../support/message/bulks.ts';
import { aClient, ask, bytesOf, rowsOf, sendsIn } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const later = addSeconds(now, 61);

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords']);
});
afterAll(() => tables.drop());

const storedFor = (clientId: string) => rowsOf(tables, tables.names.messages, clientId);
const thousand = {
  message: 'Hello {{name}}',
  recipients: Array.from({ length: 1000 }, (_, index) => ({
    to: `+4477009${String(index).padStart(5, '0')}`,
    variables: { name: `N${index}` },
  })),
};

/** The tables as a process sees them whose transactions `interfere` may answer in DynamoDB's place. */
function tablesWith(
  interfere: (call: number, send: () => Promise<unknown>, rows: number) => Promise<unknown>,
): TestTables {
  const dynamo = engineClient();
  let calls = 0;
  dynamo.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName !== 'TransactWriteItemsCommand') return next(args);
      const { TransactItems = [] } = args.input as TransactWriteCommand['input'];
      calls += 1;
      return (await interfere(calls, () => next(args), TransactItems.length)) as Awaited<
        ReturnType<typeof next>
      >;
    },
    { step: 'initialize', priority: 'low', name: 'interfere' },
  );
  return { ...tables, dynamo };
}

function cancelled(codes: readonly string[]): TransactionCanceledException {
  return new TransactionCanceledException({
    message: 'cancelled',
    $metadata: {},
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}

describe('a bulk of 1,000', () => {
  it('has every id readable right after the response, counted in its batch', async () => {
    const client = aClient();
    const { batch_id, messages } = await sendBulk(tables, now, thousand, client);
    const { context } = storesIn(tables);
    const found = await readMessages(
      context,
      messages.map((message) => message.message_id),
    );
    expect(new Set(found.map((message) => message.text)).size).toBe(1000);
    const status = await ask(getStatus(context), {
      client,
      now,
      pathParameters: { message_id: batch_id },
    });
    expect(status.body).toEqual({
      batch_id,
      total: 1000,
      accepted: 1000,
      rejected: 0,
      counts: { queued: 1000 },
      created_at: now.toISOString(),
    });
  });

  it.each([1, 4, 10])(
    'is 1,000 messages, no more, when the process dies after write %i and the request is repeated',
    async (last) => {
      const client = aClient();
      const asked = { client, now, body: thousand, key: 'k' };
      const dying = tablesWith(async (call, send) => {
        const result = call > last ? undefined : await send();
        if (call >= last) throw new Killed();
        return result;
      });
      await expect(ask(sendsIn(dying).bulk, asked)).rejects.toThrow(Killed);
      dying.dynamo.destroy();
      // What was stored moves on before the repeat.
      const [early] = await storedFor(client.client_id);
      const { context } = storesIn(tables);
      if (early !== undefined) {
        const stored = (await readMessage(context, String(early.message_id))) as Message;
        await claimMessage(context, stored, { claimId: 'c', at: now });
        await transitionMessage(context, String(early.message_id), { to: 'sent', at: now });
      }
      const response = await ask(sendsIn(tables).bulk, { ...asked, now: later });
      const rows = await storedFor(client.client_id);
      expect(rows).toHaveLength(1000);
      expect(new Set(rows.map((row) => row.recipient)).size).toBe(1000);
      expect(rows.filter((row) => row.status === 'sent')).toHaveLength(early === undefined ? 0 : 1);
      expect((response.body as BulkBody).messages).toHaveLength(1000);
      expect(bytesOf(await ask(sendsIn(tables).bulk, { ...asked, now: later }))).toBe(bytesOf(response));
    },
  );

  it('loses nothing and repeats nothing on a table that throttles, conflicts, and whose answers are lost', async () => {
    const client = aClient();
    const throttling = tablesWith(async (call, send, rows) => {
      if (call % 4 === 1) throw cancelled(Array.from({ length: rows }, () => 'ThrottlingError'));
      if (call % 4 === 2) {
        // It took effect, and the SDK's own repeat finds its rows there.
        await send();
        throw cancelled(Array.from({ length: rows }, () => 'ConditionalCheckFailed'));
      }
      if (call % 4 === 3) {
        throw cancelled(
          Array.from({ length: rows }, (_, row) => (row === 0 ? 'TransactionConflict' : 'None')),
        );
      }
      return send();
    });
    const response = await ask(sendsIn(throttling).bulk, { client, now, body: thousand });
    throttling.dynamo.destroy();
    expect((response.body as BulkBody).accepted).toBe(1000);
    const rows = await storedFor(client.client_id);
    expect(new Set(rows.map((row) => row.recipient)).size).toBe(1000);
    expect(rows).toHaveLength(1000);
  });

  it('is refused as a whole, not answered, where the table stays throttled; its repeat completes it', async () => {
    const client = aClient();
    const asked = { client, now, body: thousand, key: 'k' };
    const throttled = tablesWith((_call, _send, rows) =>
      Promise.reject(cancelled(Array.from({ length: rows }, () => 'ThrottlingError'))),
    );
    await expect(ask(sendsIn(throttled).bulk, asked)).rejects.toThrow('100 of 100 items are not done');
    throttled.dynamo.destroy();
    expect(await storedFor(client.client_id)).toEqual([]);
    await ask(sendsIn(tables).bulk, { ...asked, now: later });
    expect(await storedFor(client.client_id)).toHaveLength(1000);
  });

  it('refuses 1,001 recipients, and none', async () => {
    const recipients = Array.from({ length: 1001 }, () => '+447700900123');
    for (const wrong of [recipients, []]) {
      await expect(
        ask(sendsIn(tables).bulk, { client: aClient(), now, body: { message: 'Hi', recipients: wrong } }),
      ).rejects.toMatchObject({ code: 'invalid_request', details: [{ field: 'recipients' }] });
    }
  });
});
