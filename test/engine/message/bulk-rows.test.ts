/** The rows of a bulk: each is checked separately, a bad one is reported, and the others are sent. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cancelMessage } from '../../../shared/message/status-and-cancel.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { sendBulk } from '../../support/message/bulks.ts';
import { aClient, ask, rowsOf, sendsIn } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:00:00.000Z');

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords']);
});
afterAll(() => tables.drop());

const storedFor = (clientId: string) => rowsOf(tables, tables.names.messages, clientId);

describe('the rows of a bulk', () => {
  it('are reported, each with its error, and the other rows are sent', async () => {
    const client = aClient({ countries: ['GB', 'US'] });
    const { accepted, rejected, messages, errors } = await sendBulk(
      tables,
      now,
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
          { to: '+447700900009', message: 'order {{n}}', variables: { n: 2 ** 60 } },
          { to: 447700900010 },
          { to: '+44 (0)7700 900-001', variables: { name: 'A' } },
        ],
      },
      client,
    );
    expect({ accepted, rejected }).toEqual({ accepted: 2, rejected: 16 });
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
      [15, '+447700900009', 'invalid_row'],
      [16, null, 'invalid_row'],
      [17, '+44 (0)7700 900-001', 'duplicate_recipient'],
    ]);
    expect(errors.flatMap(({ to, message }) => (to === null ? [message] : []))).toEqual([
      'The row has no recipient: give one in "to".',
      'The row must be a text, such as "+447700900123", or an object with "to".',
      'The row must be a text, such as "+447700900123", or an object with "to".',
      '"to" must be a text, such as "+447700900123".',
    ]);
    const stored = await storedFor(client.client_id);
    expect(stored.map((row) => row.text).toSorted()).toEqual(['Hi A', 'own 3 true']);
  });

  it('that would come to gigabytes are too long, and take no memory to find out', async () => {
    const to = '+447700900001';
    const template = '{{a}}'.repeat(2000);
    const { errors } = await sendBulk(tables, now, {
      message: template,
      recipients: [
        { to, variables: { a: 'x'.repeat(1024 * 1024) } },
        { to: '+447700900002', message: 'Short' },
      ],
    });
    expect(errors).toMatchObject([{ index: 0, to, error: 'message_too_long' }]);
  });

  it('need a message of their own where the request has none', async () => {
    const { errors, accepted } = await sendBulk(tables, now, {
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

  it('are reported within the size limit of a table row, however long their errors are', async () => {
    const long = '😀'.repeat(300);
    const names = Array.from({ length: 100 }, (_, index) => `{{${'n'.repeat(60)}${index}}}`).join('');
    const { rejected } = await sendBulk(tables, now, {
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
    const { messages } = await sendBulk(
      tables,
      now,
      { message: 'Hi', scheduled_at, recipients: ['+447700900001', '+447700900002'] },
      client,
    );
    const [first] = messages;
    const canceled = await ask(cancelMessage(testContext(tables)), {
      client,
      now,
      pathParameters: { message_id: first?.message_id ?? '' },
    });
    expect(canceled.body).toMatchObject({ status: 'canceled' });
    const statuses = (await storedFor(client.client_id)).map((row) => row.status).toSorted();
    expect(statuses).toEqual(['canceled', 'scheduled']);
  });
});
