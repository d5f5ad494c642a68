/** Faults of caps. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source files
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a cap admits one more': {
    theme: 'caps',
    promise: '10.2',
    changes: [
      {
        file: 'shared/limit/cap-counter.dynamo.ts',
        replace: 'const room = limit - (amounts[attribute] ?? 0);',
        by: 'const room = limit - (amounts[attribute] ?? 0) + 1;',
      },
    ],
  },
  'a message counts half towards the spend cap': {
    theme: 'caps',
    promise: '10.2',
    changes: [
      {
        file: 'shared/contract/prices.ts',
        replace: 'return expectedPrice(table, message)?.cost ??',
        by: 'return (expectedPrice(table, message)?.cost ?? 0) / 2 ||',
      },
    ],
  },
  'a count that a person made a text is not full': {
    theme: 'rows',
    editedTable: 'RateCounters',
    promise: '1.7',
    changes: [
      {
        file: 'shared/limit/take-from-caps.ts',
        replace: 'used === undefined ? 0 : fittingRecipients(amounts[limit.cap], limit.limit - used)',
        by: 'fittingRecipients(amounts[limit.cap], limit.limit - (used ?? 0))',
      },
    ],
  },
  'the row of a cap grows with each refusal': {
    theme: 'caps',
    promise: 'cost-and-scale',
    changes: [
      {
        file: 'shared/otp/send-otp.ts',
        replace: `const { otp } = await plan(messageId);
        await allowance?.take([longestMessage(send, messageId)]);`,
        by: `await allowance?.take([longestMessage(send, messageId)]);
        const { otp } = await plan(messageId);`,
      },
      {
        file: 'shared/limit/cap-counter.dynamo.ts',
        replace: `.join(', ')}\`,
        ConditionExpression: 'attribute_exists(purge_at)',
        ExpressionAttributeValues: Object.fromEntries(
          added.map(([, amount], index) => [\`:amount\${index}\`, -amount]),
        ),`,
        by: `.join(', ')}, given_back :ids\`,
        ConditionExpression: 'attribute_exists(purge_at)',
        ExpressionAttributeValues: {
          ...Object.fromEntries(added.map(([, amount], index) => [\`:amount\${index}\`, -amount])),
          ':ids': new Set([\`\${crypto.randomUUID()}#1\`]),
        },`,
      },
    ],
  },
  'a refused leg of a fallback counts as having replaced the one before': {
    theme: 'caps',
    promise: '14.7',
    changes: [
      {
        file: 'shared/message/dispatch/start-next-leg.ts',
        replace: "status !== 'failed' && refusal === undefined",
        by: "status !== 'failed' || refusal !== undefined",
      },
    ],
  },
  'a leg that other writes kept from being stored is counted again': {
    theme: 'administration',
    promise: '10.2',
    changes: [
      {
        file: 'shared/message/dispatch/start-next-leg.ts',
        replace: 'if (!mayBeStored) await allowance?.giveBack();',
        by: 'void mayBeStored;',
      },
    ],
  },
};
