/** Whatever one row of a bulk holds, the rows beside it are sent, each with its own text. */

import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseMessageRow } from '../../../shared/message/store/message-row.ts';
import { anyCharacter } from '../../fuzz/any-character.ts';
import { runs } from '../../fuzz/runs.ts';
import { aClient, ask, inMemorySends } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:00:00.000Z');

/** Well-formed text of all of Unicode: the API refuses text that is not well-formed. */
const oddText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 30 }),
  fc.constantFrom(
    '\uffff',
    '\u0000',
    '\u202e',
    '{{name}}',
    '{{',
    '$&',
    '\ufeff',
    '👩‍👩‍👧‍👦'.repeat(300),
    'x'.repeat(5000),
  ),
);
const oddNumber = fc.oneof(
  oddText,
  fc.constantFrom('+4407700900001', '+447700900001', '+33', '+15005550001'),
);
const oddKey = fc.oneof(oddText, fc.constantFrom('__proto__', 'constructor', 'name', 'toString'));
const oddRow = fc.oneof(
  oddText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.record(
    {
      to: fc.oneof(oddNumber, fc.jsonValue({ maxDepth: 2 })),
      message: fc.oneof(oddText, fc.constant(null), fc.integer()),
      reference: fc.oneof(oddText, fc.constant(null)),
      variables: fc.oneof(
        fc.dictionary(oddKey, fc.oneof(oddText, fc.double(), fc.constant(null))),
        fc.array(oddText),
      ),
    },
    { requiredKeys: [] },
  ),
);

it('a good row is accepted among odd ones, and stored with its own text', async () => {
  const oddRows = fc.array(oddRow, { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(oddRows, oddRows, async (before, after) => {
      const { operations, messages } = inMemorySends();
      const good = { to: '+447700900199', variables: { name: 'Ann' }, reference: 'good' };
      const body = { message: 'Hello {{name}}', recipients: [...before, good, ...after] };
      const response = await ask(operations.bulk, { client: aClient(), now, body });
      const { messages: accepted, errors } = response.body as {
        messages: { index: number; message_id: string }[];
        errors: { index: number }[];
      };
      const indexes = [...accepted, ...errors].map(({ index }) => index);
      expect(indexes.toSorted((a, b) => a - b)).toEqual(body.recipients.map((_, index) => index));
      const own = accepted.find(({ index }) => index === before.length)?.message_id;
      const stored = messages.all();
      expect(stored.find((row) => row.message_id === own)).toMatchObject({
        text: 'Hello Ann',
        reference: 'good',
      });
      for (const row of stored) expect(parseMessageRow(JSON.parse(JSON.stringify(row)))).toEqual(row);
    }),
    runs,
  );
});
