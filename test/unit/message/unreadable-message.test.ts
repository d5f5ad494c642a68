/** A message that a person made invalid in the console: a request for it by its id fails, and the log says which row it is, and why. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, it, jest } from '@jest/globals';
import { createMessage, readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage } from '../../support/message/example-message.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

it('names the row and the attributes, and nothing that the message has', async () => {
  let written = '';
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((text) => {
      written += String(text);
      return true;
    });
  const { context, tables } = inMemoryStores();
  const message = aMessage({ text: 'Hello' });
  await createMessage(context, message);
  await tables.dynamo.send(
    new UpdateCommand({
      TableName: tables.names.messages,
      Key: { message_id: message.message_id },
      UpdateExpression: 'SET queued_at = :text, segments = :text',
      ExpressionAttributeValues: { ':text': 'yesterday' },
    }),
  );
  await expect(readMessage(context, message.message_id)).rejects.toThrow();
  expect(JSON.parse(written.split('\n')[0] ?? '')).toMatchObject({
    message: 'row unreadable',
    message_id: message.message_id,
    fields: expect.arrayContaining(['queued_at', 'segments']),
  });
  expect(written).not.toContain(message.recipient);
});
