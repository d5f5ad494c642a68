/** A review follows an edit at once, and DynamoDB's eventually consistent reads may still have what was there before. */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { allStoredRows, storedRowsOf } from '../../../shared/edited-table/review-rows.dynamo.ts';
import { overrideTable } from '../../../shared/limit/overrides.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';

it.each([allStoredRows, storedRowsOf])(
  'a review that reads by %p sees the edit that it follows',
  async (read) => {
    const late: (() => void)[] = [];
    const { dynamo, names } = inMemoryTables({
      late: { now: () => 0, later: (_ms, run) => late.push(run), lagMs: () => 1000 },
    });
    const context = testContext({ dynamo, names });
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
    expect((await read(context, overrideTable, '*')).map(({ row }) => row.per_minute)).toEqual([7]);
  },
);
