/** A message stores what it is sent from. */
import { expect, it } from '@jest/globals';
import { messageRowOf, parseMessageRow } from '../../../shared/message/store/message-row.ts';
import { aSendingMessage } from '../../support/message/example-message.ts';

const senders = [
  undefined,
  { identity: '+447700900999' },
  { identity: 'pool-1', carrier: 'aws' },
  { identity: 'pool-1', messages_per_second: 0.5 },
  { identity: 'ACMEIN', messages_per_second: 50, entity_id: '1001', template_id: '1007' },
];

it.each(senders)('is read as it was written: %j', (sender) => {
  const message = aSendingMessage(sender === undefined ? {} : { sender });
  const row = JSON.parse(JSON.stringify(messageRowOf(message, 90))) as Record<string, unknown>;
  expect(parseMessageRow(row)).toMatchObject(message);
});

it('without an identity, the row is not a message', () => {
  expect(() => parseMessageRow({ ...aSendingMessage(), sender: { messages_per_second: 3 } })).toThrow();
});
