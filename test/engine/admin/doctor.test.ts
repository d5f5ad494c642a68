/** What `doctor` reads of a client with many messages follows what is wrong, and not how much the client sends. */

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AdminContext } from '../../../shared/admin/admin-context.ts';
import { recentFailures } from '../../../shared/admin/diagnosis/diagnose-client.ts';
import { dynamoMessageSearch } from '../../../shared/admin/message-search.dynamo.ts';
import type { Message } from '../../../shared/message/message.ts';
import { createMessages } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { type Counted, countedDynamo } from '../../support/engine/counted-dynamo.ts';
import { engineConfig } from '../../support/engine/engine.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const since = addSeconds(created, -3600).toISOString();
const messages = Array.from({ length: 1500 }, (_, i): Message => {
  const at = addSeconds(created, i).toISOString();
  return aMessage({
    message_id: newId('msg', addSeconds(created, i)),
    client_id: 'client-a',
    created_at: at,
    queued_at: at,
    // Among the newest.
    ...(i === 1490 ? { status: 'expired' } : {}),
    ...(i === 1480 ? { status: 'failed', error_code: 'unreachable' } : {}),
  });
});

let tables: TestTables;
let counted: Counted;
let dependencies: AdminContext;
beforeAll(async () => {
  tables = await createTables(['messages']);
  counted = countedDynamo(engineConfig());
  await createMessages(testContext(tables), messages);
  const context = testContext({ ...tables, dynamo: counted.documents });
  dependencies = { ...context, messages: dynamoMessageSearch(context) } as never;
});
afterAll(async () => {
  counted.client.destroy();
  await tables.drop();
});

async function failuresOf(failed: number, expired: number) {
  const before = counted.used.calls;
  const found = await recentFailures(dependencies, 'client-a', { since, failed, expired });
  return { statuses: found.map(({ status }) => status), calls: counted.used.calls - before };
}

it('no message is read where none failed', async () => {
  expect(await failuresOf(0, 0)).toEqual({ statuses: [], calls: 0 });
});

it('one search finds those that failed and those that expired, the newest first', async () => {
  const { statuses, calls } = await failuresOf(1, 1);
  expect(statuses).toEqual(['expired', 'failed']);
  // For each of at most 1,000 messages a key, 100 in a query of one of four parts of the list, and 100 in a read.
  expect(calls).toBeLessThanOrEqual(4 + 10 + 10);
});
