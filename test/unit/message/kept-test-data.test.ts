/** Test messages, and what follows from them, are kept for 30 days at most (contract 17.6). */
import { describe, expect, it } from '@jest/globals';
import { clientIdIn } from '../../../shared/contract/mode.ts';
import { storeContact } from '../../../shared/message/store/contacts.dynamo.ts';
import { applyKeyword } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { addDays } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { created } from '../../support/message/example-message.ts';

const client_id = clientIdIn('test', 'client-a');
const person = '+447700900123';
const retentionDays = 90;

function daysKept(rows: readonly Record<string, unknown>[], from: Date): number[] {
  return rows.map(({ purge_at }) => Math.round((Number(purge_at) - from.getTime() / 1000) / 86_400));
}

describe('of a test key, a row is kept for 30 days:', () => {
  it('to whom a test message went', async () => {
    const tables = inMemoryTables();
    const context = testContext(tables, { env: { RETENTION_DAYS: retentionDays } });
    const addressee = { channel: 'sms', person, mode: 'test' } as const;
    await storeContact(context, addressee, { clientId: client_id, sender: '+447418367358', at: created });
    expect(Math.max(...daysKept(tables.rows('whatsapp_windows'), created))).toBeLessThanOrEqual(30);
  });

  it('that a person ended a suppression', async () => {
    const tables = inMemoryTables();
    const context = testContext(tables);
    const keyword = {
      ...({ clients: [client_id], senders: [], number: '+447418367358' } as const),
      ...{ recipients: [person], reason: 'The recipient answered' },
    };
    await applyKeyword(context, { ...keyword, asksFor: 'opt_out', at: created });
    await applyKeyword(context, { ...keyword, asksFor: 'opt_in', at: addDays(created, 1) });
    expect(Math.max(...daysKept(tables.rows('suppressions'), addDays(created, 1)))).toBeLessThanOrEqual(30);
  });
});
