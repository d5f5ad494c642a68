/** Faults of bulks and of the pace of senders. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const sendBulk = 'shared/message/send/send-bulk-sms.ts';

export const faults: DeliberateFaults = {
  'a repeated bulk reserves its slots again': {
    theme: 'bulk',
    promise: '5.6',
    changes: [
      { file: sendBulk, replace: 'looksFirst: true,', by: '' },
      {
        file: 'shared/message/send/idempotency.ts',
        replace: 'looksFirst || allowance !== undefined ?',
        by: 'looksFirst ?',
      },
      {
        file: sendBulk,
        replace: '        newRows = messagesOf(batch, bulk, rows, select);',
        by: `        newRows = messagesOf(batch, bulk, rows, select);
        const slots = await reserveBulkSlots(dependencies.pace, newRows.map(({ message }) => message));
        newRows = newRows.map((row, i) => ({ ...row, message: slots.messages[i] ?? row.message }));`,
      },
      {
        file: sendBulk,
        replace: 'const paced = await reserveBulkSlots(',
        by: `const hasSlots = rows.some(({ message }) => message.slot !== undefined);
  const paced = hasSlots ? { messages: rows.map(({ message }) => message) } : await reserveBulkSlots(`,
      },
    ],
  },
  'messages that a repeat stores late are not reviewed': {
    theme: 'bulk',
    promise: '5.1',
    changes: [
      {
        file: sendBulk,
        replace: 'await dependencies.reviewFrom(addSeconds(request.now, storingLeaseSeconds), late);',
        by: 'void late;',
      },
    ],
  },
};
