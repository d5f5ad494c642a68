/** Faults of one-time passwords. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const otpSends = 'shared/otp/otp-sends.dynamo.ts';
const otpStore = 'shared/otp/otp-store.dynamo.ts';

export const faults: DeliberateFaults = {
  'a code is compared before it is counted': {
    theme: 'otp',
    promise: '5.10',
    changes: [{ file: otpStore, replace: 'ADD attempts :one', by: 'ADD attempts_of_nobody :one' }],
  },
  'a password is verified again': {
    theme: 'otp',
    promise: '5.10',
    changes: [
      {
        file: otpStore,
        replace: "'#status = :pending OR verified_by = :work'",
        by: "'#status = :pending OR attribute_exists(otp_id) OR verified_by = :work'",
      },
    ],
  },
  'the loser of two concurrent sends leaves a password': {
    theme: 'otp',
    promise: 'decisions/otp-hold',
    changes: [
      {
        file: otpSends,
        replace: "import { type DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';",
        by: "import { type DynamoDBDocumentClient, PutCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';",
      },
      {
        file: otpSends,
        replace:
          'await client.send(new TransactWriteCommand({ TransactItems: itemsOf(message, send, now) }));',
        by: `const TransactItems = itemsOf(message, send, now);
        for (const { Put } of TransactItems.splice(2, 1)) await client.send(new PutCommand(Put));
        await client.send(new TransactWriteCommand({ TransactItems }));`,
      },
    ],
  },
  'an allowance that a person made invalid turns the hold off': {
    theme: 'otp',
    promise: 'decisions/malformed-rows',
    changes: [
      {
        file: 'shared/otp/otp-holds.dynamo.ts',
        replace:
          'if (seen !== undefined || holding.row === undefined || statesIn([holding.row]).length > 0) return false;',
        by: 'if (!holding.applied) return false;',
      },
    ],
  },
};
