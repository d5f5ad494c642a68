/** A resend of many that was under way at the time to which tables are restored does not go on (contract 8.8, 12.4). */
import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, it } from '@jest/globals';
import { type RestoreRun, restorePage } from '../../../shared/restore/restore-page.ts';
import { newResend, type Resend } from '../../../shared/webhook/log/resend.ts';
import { lostTable } from '../../support/restore/lost-table.ts';

it.each<[Resend['status'], string | undefined]>([
  ['matching', undefined],
  ['sending', undefined],
  ['completed', 'completed'],
])('one that was %s', async (status, restoredStatus) => {
  const gateway = lostTable(0);
  const { stores, clock } = gateway;
  const [since, until] = [new Date(clock().getTime() - 3_600_000), clock()].map((time) => time.toISOString());
  const filter = { state: 'failed', since: since ?? '', until: until ?? '' } as const;
  const asked = { ...filter, resend_id: 'whr_1', client_id: 'client-a', actor: 'client-a' };
  const row = { ...newResend(asked, clock(), 30, 'revision'), status };
  const { resend_id, ...rest } = row;
  const item = marshall({ delivery_id: resend_id, resend_id, ...rest }, { removeUndefinedValues: true });
  const due = marshall({ list: 'resends#0', position: `${until}#whr_1`, ids: ['whr_1'] });
  const restored = ['due-items', 'webhook-deliveries'] as const;
  const run: RestoreRun = {
    restoreId: 'restore',
    stoppedAt: clock(),
    restored: new Set(restored),
    evidence: { messages: new Map(), streamSince: null, settings: [], batches: [], counted: new Map() },
  };
  const decisions = { unknownWebhooks: 'fail', unknownMessages: 'fail' } as const;
  await restorePage(gateway.dependencies(), run, 'webhook-deliveries', [item], decisions);
  await restorePage(gateway.dependencies(), run, 'due-items', [due], decisions);
  expect((await stores.resends.get('whr_1'))?.status).toBe(restoredStatus);
  expect(gateway.tables.rows('due_items')).toEqual([]);
});
