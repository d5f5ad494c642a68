/** A bulk of up to 1,000: each row checked and reported, and all accepted ones stored once, whatever happens meanwhile. */
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import type { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addSeconds } from '../../shared/clock.ts';
import { cancelMessage } from '../../shared/message/cancel.ts';
import { getStatus } from '../../shared/message/get-status.ts';
import { documentClient } from '../support/gateway.ts';
import { Killed } from '../support/killing.ts';
import { aClient, ask, bytesOf, rowsOf, sendsIn, storesIn } from '../support/sends.ts';
import { createTables, type TestTables } from '../support/tables.ts';

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

interface BulkBody {
  readonly batch_id: string;
  readonly accepted: number;
  readonly rejected: number;
  readonly messages: readonly { readonly index: number; readonly message_id: string }[];
  readonly errors: readonly { readonly index: number; readonly to: string; readonly error: string }[];
}

async function bulk(body: unknown, client = aClient()): Promise<BulkBody> {
  const answer = await ask(sendsIn(tables).bulk, { client, now, body });
  expect(answer.status).toBe(202);
  return answer.body as BulkBody;
}

/** The tables as a process sees them whose transactions `interfere` may answer in DynamoDB's place. */
function tablesWith(
  interfere: (call: number, send: () => Promise<unknown>, rows: number) => Promise<unknown>,
): TestTables {
  const dynamo = documentClient();
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
  it('has every id readable right after the answer, counted in its batch', async () => {
    const client = aClient();
    const { batch_id, messages } = await bulk(thousand, client);
    const { messages: store, batches } = storesIn(tables);
    const found = await store.getMany(messages.map((message) => message.message_id));
    expect(new Set(found.map((message) => message.text)).size).toBe(1000);
    const status = await ask(getStatus({ messages: store, batches }), {
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
      const { messages } = storesIn(tables);
      if (early !== undefined) {
        const claim = { claimId: 'c', at: now, leaseSeconds: 20 };
        await messages.claim(String(early.message_id), claim);
        await messages.transition(String(early.message_id), { to: 'sent', at: now });
      }
      const answer = await ask(sendsIn(tables).bulk, { ...asked, now: later });
      const rows = await storedFor(client.client_id);
      expect(rows).toHaveLength(1000);
      expect(new Set(rows.map((row) => row.recipient)).size).toBe(1000);
      expect(rows.filter((row) => row.status === 'sent')).toHaveLength(early === undefined ? 0 : 1);
      expect((answer.body as BulkBody).messages).toHaveLength(1000);
      expect(bytesOf(await ask(sendsIn(tables).bulk, { ...asked, now: later }))).toBe(bytesOf(answer));
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
    const answer = await ask(sendsIn(throttling).bulk, { client, now, body: thousand });
    throttling.dynamo.destroy();
    expect((answer.body as BulkBody).accepted).toBe(1000);
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
    await expect(ask(sendsIn(throttled).bulk, asked)).rejects.toThrow('left 100 items over');
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

describe('the rows of a bulk', () => {
  it('are reported each with what is wrong with it, and the others are sent', async () => {
    const client = aClient({ countries: ['GB', 'US'] });
    const { accepted, rejected, messages, errors } = await bulk(
      {
        message: 'Hi {{name}}',
        from: 'ACME',
        reference: 'all',
        recipients: [
          { to: '+447700900001', variables: { name: 'A' }, reference: 'own' },
          { to: '+33', variables: { name: 'A' } },
          { to: '+447700900001', variables: { name: 'B' } },
          { to: '+447700900002' },
          { to: '+447700900003', variables: { name: 'x'.repeat(1600) } },
          { to: '+33612345678', variables: { name: 'A' } },
          { to: '+12025550123', variables: { name: 'A' } },
          { variables: { name: 'A' } },
          17,
          null,
          { to: '+447700900004', variables: { name: { deep: 1 } } },
          { to: '+447700900005', message: '' },
          { to: '+447700900006', message: '{{name}}', variables: { name: '' } },
          { to: '+447700900007', message: 'own {{n}} {{ok}}', variables: { n: 3, ok: true } },
          '+447700900008',
        ],
      },
      client,
    );
    expect({ accepted, rejected }).toEqual({ accepted: 2, rejected: 13 });
    expect(messages).toEqual([
      expect.objectContaining({ index: 0, recipient: '+447700900001', status: 'queued', reference: 'own' }),
      expect.objectContaining({ index: 13, recipient: '+447700900007', segments: 1, reference: 'all' }),
    ]);
    expect(errors.map(({ index, to, error }) => [index, to, error])).toEqual([
      [1, '+33', 'invalid_recipient'],
      [2, '+447700900001', 'duplicate_recipient'],
      [3, '+447700900002', 'missing_variable'],
      [4, '+447700900003', 'message_too_long'],
      [5, '+33612345678', 'forbidden'],
      [6, '+12025550123', 'forbidden'],
      [7, null, 'invalid_row'],
      [8, null, 'invalid_row'],
      [9, null, 'invalid_row'],
      [10, '+447700900004', 'invalid_row'],
      [11, '+447700900005', 'invalid_row'],
      [12, '+447700900006', 'invalid_row'],
      [14, '+447700900008', 'missing_variable'],
    ]);
    const stored = await storedFor(client.client_id);
    expect(stored.map((row) => row.text).toSorted()).toEqual(['Hi A', 'own 3 true']);
  });

  it('that would come to gigabytes are too long, and take no memory to find out', async () => {
    const to = '+447700900001';
    const template = '{{a}}'.repeat(2000);
    const { errors } = await bulk({
      message: template,
      recipients: [
        { to, variables: { a: 'x'.repeat(1024 * 1024) } },
        { to: '+447700900002', message: 'Short' },
      ],
    });
    expect(errors).toMatchObject([{ index: 0, to, error: 'message_too_long' }]);
  });

  it('need a message of their own where the request has none', async () => {
    const { errors, accepted } = await bulk({
      recipients: ['+447700900001', { to: '+447700900002', message: 'Mine' }],
    });
    expect({ accepted, errors }).toMatchObject({
      accepted: 1,
      errors: [{ index: 0, error: 'missing_message' }],
    });
  });

  it('are all named, with their faulty fields, where none can be sent to', async () => {
    const body = { message: '{{a}}', recipients: ['+33', '+447700900001', {}] };
    await expect(ask(sendsIn(tables).bulk, { client: aClient(), now, body })).rejects.toMatchObject({
      code: 'no_valid_recipients',
      status: 400,
      details: [
        { field: 'recipients[0].to' },
        { field: 'recipients[1].variables' },
        { field: 'recipients[2]' },
      ],
    });
  });

  it('are reported within what a row of the table can hold, however long their faults are', async () => {
    const long = '😀'.repeat(300);
    const names = Array.from({ length: 100 }, (_, index) => `{{${'n'.repeat(60)}${index}}}`).join('');
    const { rejected } = await bulk({
      message: names,
      recipients: Array.from({ length: 1000 }, (_, index) =>
        index === 0
          ? { to: '+447700900001', message: 'Hi' }
          : index % 3 === 0
            ? { to: `${long}${index}` }
            : index % 3 === 1
              ? { to: `+4477009${10_000 + index}`, variables: { [long]: {} } }
              : `+4477009${10_000 + index}`,
      ),
    });
    expect(rejected).toBe(999);
  });

  it('can be canceled one by one while they are scheduled', async () => {
    const client = aClient();
    const scheduled_at = addSeconds(now, 3600).toISOString();
    const { messages } = await bulk(
      { message: 'Hi', scheduled_at, recipients: ['+447700900001', '+447700900002'] },
      client,
    );
    const [first] = messages;
    const canceled = await ask(cancelMessage(storesIn(tables).messages), {
      client,
      now,
      pathParameters: { message_id: first?.message_id ?? '' },
    });
    expect(canceled.body).toMatchObject({ status: 'canceled' });
    const statuses = (await storedFor(client.client_id)).map((row) => row.status).toSorted();
    expect(statuses).toEqual(['canceled', 'scheduled']);
  });
});
