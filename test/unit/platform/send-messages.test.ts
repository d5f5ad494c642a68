/** Queue messages under the rules of SQS's API reference: any text goes through, and a refused one holds up no other. */

import type { SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RefusedEntries } from '../../../shared/platform/aws/permanent-fault.ts';
import {
  messageGroupOf,
  queueText,
  scheduleNameOf,
  sendMessages,
} from '../../../shared/platform/aws/queues.sqs.ts';
import { anyCharacter } from '../../fuzz/any-character.ts';
import { refusal, strictSqs } from '../../support/engine/strict-sqs.ts';

/** Texts of all of Unicode, well-formed or not, with characters at the edges of what SQS takes. */
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc
    .array(
      fc.constantFrom(
        '\uFFFF',
        '\uFFFE',
        '\uFFFD',
        '\uD7FF',
        '\uE000',
        '\u0000',
        '\u001F',
        '\u{10FFFF}',
        '\uD800',
        '\uDC00',
        'a',
      ),
    )
    .map((parts) => parts.join('')),
);

function queue(options: Omit<Parameters<typeof strictSqs>[0], 'deliver'> = {}) {
  const delivered: SendMessageBatchRequestEntry[] = [];
  const sqs = strictSqs({
    ...options,
    deliver: (_url, entry) => void delivered.push(entry),
  });
  return { sqs, delivered };
}

describe('any text', () => {
  it('reaches the other side of a queue unchanged, for any client', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyText, anyText), { minLength: 1, maxLength: 25 }),
        async (given) => {
          const { sqs, delivered } = queue();
          await sendMessages(
            sqs,
            'queue',
            given.map(([text, clientId]) => ({ json: JSON.stringify({ text }), clientId })),
          );
          const texts = delivered.map(
            ({ MessageBody = '' }) => (JSON.parse(MessageBody) as { text: string }).text,
          );
          expect(texts).toEqual(given.map(([text]) => text));
        },
      ),
    );
  });

  it('stays as it is where SQS takes it', () => {
    const accepted = JSON.stringify({ text: 'Grüße \u{1F600} \uFFFD \u0085' });
    expect(queueText(accepted)).toBe(accepted);
    expect(queueText(JSON.stringify('\uFFFF'))).toBe('"\\uffff"');
  });

  it('is a message group or a schedule of its own, as its service spells them', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        for (const nameOf of [messageGroupOf, scheduleNameOf])
          expect(nameOf(one) === nameOf(other)).toBe(one === other);
        expect(messageGroupOf(one)).toMatch(/^[!-~]{1,128}$/);
        expect(scheduleNameOf(one)).toMatch(/^[0-9a-zA-Z-_.]{1,64}$/);
      }),
    );
    expect(messageGroupOf('client_0a1b')).toBe('client_0a1b');
    expect(scheduleNameOf('whd_01KAG00000000000000000000A-2')).toBe('whd_01KAG00000000000000000000A-2');
  });
});

describe('messages of any size', () => {
  it('go in calls that stay below the limit of bytes, and only the one that no call takes is refused', async () => {
    const sizes = [200_000, 200_000, 10, 2_000_000, 10, 100_000];
    const messages = sizes.map((size) => ({ json: JSON.stringify('x'.repeat(size)), clientId: 'client' }));
    const { sqs, delivered } = queue();
    const error = await sendMessages(sqs, 'queue', messages).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RefusedEntries);
    expect((error as RefusedEntries).entries).toEqual([{ index: 3, code: expect.any(String) }]);
    expect(delivered.map(({ MessageBody = '' }) => MessageBody.length - 2)).toEqual(
      sizes.filter((size) => size < 1_000_000),
    );
  });
});

describe('a message that SQS refuses for good', () => {
  const messages = Array.from({ length: 25 }, (_, index) => ({
    json: JSON.stringify(index === 7 || index === 20 ? `refused ${index}` : index),
    clientId: 'client',
  }));

  it.each([
    ['alone', false],
    ['with its whole call', true],
  ])('%s is named, and every other one is in the queue once', async (_how, whole) => {
    const { sqs, delivered } = queue({
      refuses: (body) => body.includes('refused'),
      refusesCall: () => whole,
    });
    await expect(sendMessages(sqs, 'queue', messages)).rejects.toMatchObject({
      entries: [7, 20].map((index) => ({ index, code: 'InvalidMessageContents' })),
    });
    const numbers = delivered.map(({ MessageBody = '' }) => Number(MessageBody)).toSorted((a, b) => a - b);
    expect(numbers).toEqual(messages.flatMap((_, index) => (index === 7 || index === 20 ? [] : [index])));
  });

  it.each(['RequestThrottled', 'AccessDenied', 'QueueDoesNotExist', 'TimeoutError', 'InternalError'])(
    'is not what %s says: all of it is to be tried again',
    async (name) => {
      const { sqs } = queue({ fault: () => refusal(name) });
      await expect(sendMessages(sqs, 'queue', messages)).rejects.toMatchObject({ name });
    },
  );
});
