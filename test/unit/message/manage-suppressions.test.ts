/** Requests of a client about one recipient, at the same moment or by clocks that differ. */

import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import {
  endSuppression,
  suppress,
  suppressionsOf,
} from '../../../shared/message/suppression/manage-suppressions.ts';
import type { Keyword, SuppressionChange } from '../../../shared/message/suppression/suppression.ts';
import { applyKeyword, suppressionOf } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const recipient = '+447700900123';
const number = '+447418367358';
const end = (at = now): SuppressionChange => ({ client_id: 'client', recipient, source: 'client', at });
const change = (at = now) => ({ ...end(at), scope: 'messages' as const });
const stop = (at: Date): Keyword => ({
  ...{ asksFor: 'opt_out', clients: ['client'], senders: [number], number },
  ...{ recipients: [recipient], reason: 'The recipient answered STOP', at },
});

describe('requests about one recipient', () => {
  it('in one millisecond are all done, in the order in which they came', async () => {
    const { context } = inMemoryStores();
    await suppress(context, { ...change(), reason: 'asked us' });
    expect(await suppress(context, { ...change(), scope: 'all' })).toMatchObject({ scope: 'all' });
    expect(await endSuppression(context, end())).toEqual({ recipient, deleted: true });
    expect(await suppressionOf(context, 'client', recipient)).toBeUndefined();
    expect(await suppress(context, change())).toMatchObject({ scope: 'messages' });
  });

  it('are done after a change by a process whose clock is ahead', async () => {
    const { context } = inMemoryStores();
    await suppress(context, change(addSeconds(now, 5)));
    expect(await endSuppression(context, end())).toEqual({ recipient, deleted: true });
    await expect(endSuppression(context, end())).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(['client', 'admin'] as const)(
    'that are refused, as nothing is suppressed, do not undo an earlier STOP that comes later: by %s',
    async (source) => {
      const { context } = inMemoryStores();
      const ending = { ...end(addSeconds(now, 1)), source };
      await expect(endSuppression(context, ending)).rejects.toMatchObject({ code: 'not_found' });
      await applyKeyword(context, stop(now));
      expect(await suppressionOf(context, 'client', recipient)).toMatchObject({ scope: 'messages' });
    },
  );

  it('name the sender that the recipient wrote STOP to', async () => {
    const { context } = inMemoryStores();
    await applyKeyword(context, stop(now));
    const ended = { recipient, deleted: true, still_suppressed_from: number };
    expect(await endSuppression(context, end())).toEqual(ended);
  });

  it('do not undo a STOP that comes while they are worked on', async () => {
    let meanwhile: (() => Promise<void>) | undefined;
    const tables = inMemoryTables({
      around: async ({ operation }, run) => {
        const result = run();
        const next = operation === 'BatchGetItem' ? meanwhile : undefined;
        if (next !== undefined) meanwhile = undefined;
        await next?.();
        return result;
      },
    });
    const { context } = inMemoryStores(tables);
    await suppress(context, change(addSeconds(now, -60)));
    meanwhile = () => applyKeyword(context, stop(addSeconds(now, 1)));
    await expect(endSuppression(context, end())).rejects.toMatchObject({ code: 'concurrent_change' });
    expect(await suppressionOf(context, 'client', recipient)).toMatchObject({ source: 'keyword' });
    expect(await endSuppression(context, end())).toMatchObject({ recipient, deleted: true });
  });
});
it.each(['0044 7700 900123', 'Bob', 'é\n', '😀'.repeat(250), 'a'.repeat(1000)])(
  'the pages of a client go on after a row that a person keyed %j',
  async (odd) => {
    const { context, tables } = inMemoryStores();
    const Item = { client_id: 'client', recipient: odd, scope: 'all' };
    await tables.dynamo.send(new PutCommand({ TableName: tables.names.suppressions, Item }));
    await suppress(context, change());
    await suppress(context, { ...change(), recipient: '+447700900124' });
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await suppressionsOf(context, 'client', { limit: 1, cursor });
      found.push(...page.suppressions.map((one) => one.recipient));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(found).toEqual([odd, recipient, '+447700900124'].toSorted());
  },
);
