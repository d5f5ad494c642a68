/** A row of usage that a person edited in the console stops neither the counting of other clients nor its own reading. */
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { usageOfClient } from '../../../shared/usage/read-usage.ts';
import { usageRange } from '../../../shared/usage/usage-query.ts';
import {
  dynamoAttemptCounter,
  dynamoAttemptReader,
  hourOf,
} from '../../../shared/usage/webhook-attempts.dynamo.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { streamRecords } from '../../support/message/stream-records.ts';
import { usageCounter } from '../../support/usage/count-usage.ts';

const period = created.toISOString().slice(0, 10);
const queued = 's.t.GB.q.m';

/** Counts a message of each of two clients. */
function counting() {
  const tables = inMemoryTables();
  const { usage } = inMemoryStores(tables);
  const stream = streamRecords(() => addSeconds(created, 5));
  const counted = usageCounter(tables);
  const count = (number: number) =>
    counted(
      ['client-a', 'client-b'].flatMap((client_id) =>
        stream.change(
          undefined,
          aMessage({
            message_id: `msg_${client_id}_${number}`,
            client_id,
            country: 'GB',
            segments: 3,
            cost: 0.12,
            currency: 'EUR',
          }),
        ),
      ),
    );
  const edit = (client_id: string, attribute: string, value: string) =>
    tables.dynamo.send(
      new UpdateCommand({
        TableName: tables.names.message_usage,
        Key: { period, client_id },
        UpdateExpression: 'SET #attribute = :value',
        ExpressionAttributeNames: { '#attribute': attribute },
        ExpressionAttributeValues: { ':value': value },
      }),
    );
  const queuedOf = async (client: string) => (await usage.rowsOf(client, [period]))[0]?.amounts.get(queued);
  return { tables, count, edit, queuedOf };
}

it.each(['client-a', '*'])('counts all other rows where a number of %s became a text', async (edited) => {
  const { count, edit, queuedOf } = counting();
  await count(1);
  await edit(edited, queued, '1');
  await expect(count(2)).resolves.toEqual({ counted: 2, repeated: 0 });
  await expect(count(2)).resolves.toEqual({ counted: 2, repeated: 0 });
  expect(await queuedOf('client-b')).toBe(3);
  expect(await queuedOf(edited)).toBeUndefined();
});

it('shows what is counted beside a note', async () => {
  const { count, edit, queuedOf } = counting();
  await count(1);
  await edit('client-a', 'note', 'corrected on Monday');
  await count(2);
  expect(await queuedOf('client-a')).toBe(2);
});

it('shows the same sums by group and in total where a number of messages became a text', async () => {
  const { count, edit, tables } = counting();
  await count(1);
  await edit('client-a', queued, '1');
  const { usage } = inMemoryStores(tables);
  const range = usageRange({}, addSeconds(created, 60));
  const [total] = await usageOfClient(usage, 'client-a', range, 'EUR');
  const groups = await usageOfClient(usage, 'client-a', { ...range, groupBy: ['status'] }, 'EUR');
  expect(total).toMatchObject({ messages: 0, segments: 3, cost: 0.12 });
  expect(groups).toEqual([{ ...total, status: 'queued' }]);
});

it('shows the webhook attempts of an hour beside a note', async () => {
  const { tables } = counting();
  const of = [tables.dynamo, tables.names.usage] as const;
  await dynamoAttemptCounter(...of).add({ webhooks_acknowledged: 2 }, created);
  const input = { TableName: tables.names.usage, Key: { hour: hourOf(created) } };
  const ExpressionAttributeValues = { ':note': 'an outage' };
  const UpdateExpression = 'SET note = :note';
  await tables.dynamo.send(new UpdateCommand({ ...input, UpdateExpression, ExpressionAttributeValues }));
  const [row] = await dynamoAttemptReader(...of).hours([hourOf(created)]);
  expect(row?.counts).toEqual({ webhooks_acknowledged: 2 });
});
