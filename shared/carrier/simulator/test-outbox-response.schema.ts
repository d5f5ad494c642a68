/** The form of the response about the test outbox (contract, section 17). Functions import only the types. */
import * as z from 'zod/mini';
import { channel, idOf, instant, recipient } from '../../message/message-response.schema.ts';
import { described } from '../../operation/fields.ts';

const testOutboxMessage = z.object({
  message_id: idOf('msg'),
  channel,
  to: described(recipient, 'The recipient.'),
  from: described(z.nullable(z.string()), 'The sender; null where the carrier would choose it.'),
  body: described(
    z.string(),
    'The text as the person would read it, with the code of a one-time password; other WhatsApp content as JSON.',
  ),
  at: described(instant, 'When the simulated carrier was given it.'),
});

const testOutbox = z.object({
  messages: described(z.array(testOutboxMessage), 'The messages of the last 24 hours, newest first.'),
  next_cursor: z.exactOptional(z.string()),
});

export type TestOutboxPage = z.output<typeof testOutbox>;

/** The responses by their names in the API document. */
export const testOutboxResponses = {
  TestOutboxMessage: testOutboxMessage,
  TestOutbox: testOutbox,
} as const;
