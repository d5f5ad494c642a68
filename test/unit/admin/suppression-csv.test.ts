/** Suppressions go out as CSV and come back as the same; a line that is not valid is named and harms no other. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rowsAsCsv } from '../../../bin/admin/call-command.ts';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import { importSuppressions, readSuppressions } from '../../../shared/admin/client-suppressions.ts';
import { storeClient } from '../../../shared/client/client-store.dynamo.ts';
import { storeSuppression, suppressionOf } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aClient } from '../../support/message/ask-operation.ts';

const time = '2026-11-20T10:00:00.000Z';
const recipient = '+447700900123';

describe('suppressions as CSV', () => {
  it('come back as they went out, whatever their reasons are', () => {
    const row = fc.record({
      recipient: fc.integer({ min: 0, max: 999 }).map((n) => `+447700900${String(n).padStart(3, '0')}`),
      scope: fc.constantFrom('messages' as const, 'all' as const),
      // The space around a reason has no meaning, and an apostrophe before a formula is taken for a guard.
      reason: fc.option(
        fc
          .string({ minLength: 1, maxLength: 40, unit: 'grapheme' })
          .map((text) => text.trim())
          .filter((text) => text !== '' && !/(^|[;\t|\r\n])["\s]*'[=+\-@＝＋－＠\t\r\n]/.test(text)),
      ),
    });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 20 }), (rows) => {
        const views = rows.map((each) => ({
          ...each,
          source: 'client' as const,
          created_at: time,
          updated_at: time,
        }));
        const { lines, faults } = readSuppressions(`${rowsAsCsv(views)}\n`);
        expect(faults).toEqual([]);
        expect(
          lines.map(({ recipient: to, scope, reason = null }) => ({ recipient: to, scope, reason })),
        ).toEqual(rows);
      }),
    );
  });

  it.each([
    ['commas and quotes', 'recipient,reason\n+447700900123,"said ""stop"",\ntwice"\n', 'said "stop",\ntwice'],
    ['semicolons', 'Reason;Recipient\r\nby post;+447700900123\r\n', 'by post'],
    ['a mark of UTF-8 and tabs', '\uFEFFrecipient\tnote\treason\n+447700900123\tx\tby post', 'by post'],
    ['no header', `'+447700900123,all,by post`, 'by post'],
  ])('are read with %s', (_how, text, reason) => {
    const { lines, faults } = readSuppressions(text);
    expect(faults).toEqual([]);
    expect(lines).toMatchObject([{ recipient, reason }]);
  });

  it('name every line that is not valid, by its place in the file', () => {
    const text = [
      'recipient,scope,reason',
      '+447700900123,messages,ok',
      '12345,all,short',
      '',
      '"+447700900124",some,"two',
      'lines"',
      '+447700900125,all,a,b',
      `+447700900126,,${'x'.repeat(257)}`,
      '+447700900127',
    ].join('\n');
    const { lines, faults } = readSuppressions(text);
    expect(lines.map((each) => each.recipient)).toEqual(['+447700900123', '+447700900127']);
    expect(faults.map(({ line }) => line)).toEqual([3, 5, 7, 8]);
    expect(faults.map(({ message }) => message)).toEqual([
      expect.stringContaining('recipient must be a phone number'),
      'scope must be "messages" or "all"',
      'has 4 columns, the header 3',
      'reason must have 256 characters or fewer',
    ]);
  });

  it('are refused without a column of recipients', () => {
    expect(() => readSuppressions('number\n+447700900123')).toThrow('no column "recipient"');
    expect(() => readSuppressions('')).toThrow('no column "recipient"');
  });
});

it('an import without scopes keeps that of a suppression which older reads do not show yet', async () => {
  const tables = inMemoryTables({ late: { now: () => 0, later: () => {}, lagMs: () => 1000 } });
  const { context } = inMemoryStores(tables);
  await storeClient(context, aClient({ client_id: 'client' }));
  await storeSuppression(context, {
    client_id: 'client',
    recipient,
    scope: 'all',
    reason: 'asked by phone',
    source: 'client',
    at: new Date(time),
  });
  expect(await suppressionOf(context, 'client', recipient)).toBeUndefined();
  const dependencies = {
    ...context,
    clock: () => new Date('2026-11-20T10:00:00.500Z'),
  } as unknown as AdminContext;
  const { lines } = readSuppressions(recipient);
  const imported = await importSuppressions(dependencies, 'me', {
    client: 'client',
    lines,
    report: () => {},
  });
  expect(imported).toEqual({ recipients: 1, suppressed: 0 });
  expect(await suppressionOf(context, 'client', recipient, { consistent: true })).toMatchObject({
    scope: 'all',
    reason: 'asked by phone',
  });
});
