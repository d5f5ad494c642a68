/** The gateway's stores on tables of a test, and on fresh ones in memory whose rows the test sees at once. */
import { parseMessageRow } from '../../../shared/message/store/message-row.ts';
import { type OneTimePassword, otpSchema } from '../../../shared/otp/otp.ts';
import { type InMemoryTables, inMemoryTables } from './in-memory-tables.ts';
import { testContext } from './test-context.ts';
import type { TestTables } from './test-tables.ts';

export const retentionDays = 30;

export type Stores = ReturnType<typeof storesIn>;

export function storesIn({ dynamo, names }: TestTables) {
  const context = testContext({ dynamo, names });
  return {
    ...context,
    context,
  };
}

/** With `all`, the rows as they are now. */
export function inMemoryStores(tables: InMemoryTables = inMemoryTables()) {
  const stores = storesIn(tables);
  return {
    ...stores,
    tables,
    messages: { all: () => tables.rows('messages').map(parseMessageRow) },
    otps: {
      /** The table has rows of recipients too. */
      all: (): OneTimePassword[] =>
        tables.rows('one_time_passwords').flatMap((row) => otpSchema.safeParse(row).data ?? []),
    },
  };
}
