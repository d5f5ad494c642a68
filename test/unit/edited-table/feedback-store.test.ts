/** A review follows an edit at once, and DynamoDB's eventually consistent reads may still have what was there before. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { dynamoFeedbackStore } from '../../../shared/edited-table/feedback-store.dynamo.ts';
import { overrideTable } from '../../../shared/limit/overrides.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';

it.each(['allRows', 'rowsOf'] as const)(
  'a review that reads %s sees the edit that it follows',
  async (read) => {
    const late: (() => void)[] = [];
    const { dynamo, names } = inMemoryTables({
      late: { now: () => 0, later: (_ms, run) => late.push(run), lagMs: () => 1000 },
    });
    const store = dynamoFeedbackStore(dynamo, names.limit_overrides, overrideTable);
    const put = (per_minute: number) =>
      dynamo.send(
        new PutCommand({
          TableName: names.limit_overrides,
          Item: { client_id: '*', endpoint: 'POST /api/v1/sms/send', per_minute },
        }),
      );
    await put(5);
    for (const run of late.splice(0)) run();
    await put(7);
    expect((await store[read]('*')).map(({ row }) => row.per_minute)).toEqual([7]);
  },
);
