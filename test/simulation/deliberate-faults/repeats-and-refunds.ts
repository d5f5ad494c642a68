/** Faults of idempotency keys, of bulks, and of what is given back to caps. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const idempotency = 'shared/message/send/idempotency.ts';
const bulk = 'shared/message/send/send-bulk-sms.ts';

export const faults: DeliberateFaults = {
  'another request with the same key gets the first response': {
    theme: 'messages',
    promise: '5.6',
    changes: [
      {
        file: idempotency,
        replace: 'if (request_hash === fingerprint) return;',
        by: 'if (request_hash !== undefined || request_hash === fingerprint) return;',
      },
    ],
  },
  'a key is forgotten after 24 minutes': {
    theme: 'messages',
    promise: '5.6',
    changes: [{ file: idempotency, replace: 'idempotencyKeyHours * 3600', by: 'idempotencyKeyHours * 60' }],
  },
  'a send without a key gives back what it took, although it is stored': {
    theme: 'caps',
    promise: '10.2',
    changes: [
      {
        file: 'shared/message/send/idempotency.ts',
        replace: 'if (!result.created && key !== undefined)',
        by: 'if (!result.created)',
      },
    ],
  },
  'a repeat that lost the race stays counted in the cap': {
    theme: 'caps',
    promise: '10.3',
    changes: [
      {
        file: idempotency,
        replace: 'if (!result.created && key !== undefined) await allowance?.giveBack();',
        by: '',
      },
    ],
  },
  'a send that is refused when it is stored stays counted in the cap': {
    theme: 'caps',
    promise: '10.2',
    changes: [
      {
        file: idempotency,
        replace: 'if (error instanceof GatewayError) await allowance?.giveBack();',
        by: '',
      },
    ],
  },
  'a bulk is noted as stored before its messages are': {
    theme: 'bulk',
    promise: '5.1',
    changes: [
      { file: bulk, replace: '  await messages.createMany(paced.messages);\n', by: '' },
      {
        file: bulk,
        replace: 'return { ...batch, ...(await batches.markStored(batch.batch_id, expectedEnd)) };',
        by: 'const stored = await batches.markStored(batch.batch_id, expectedEnd);\n  await messages.createMany(paced.messages);\n  return { ...batch, ...stored };',
      },
    ],
  },
  'a bulk whose request died is not completed by its repeat': {
    theme: 'bulk',
    promise: '5.1',
    changes: [
      {
        file: bulk,
        replace: "const batch = entry.state === 'storing' ?",
        by: "const batch = entry.state === 'storing' && !replayed ?",
      },
    ],
  },
  'a leg that another worker started stays counted in the cap': {
    theme: 'caps',
    promise: '10.2',
    changes: [
      {
        file: 'shared/message/dispatch/start-next-leg.ts',
        replace: "  await allowance?.giveBack();\n  if (stored === 'exists')",
        by: "  if (stored === 'exists')",
      },
    ],
  },
  'a dry run takes from the caps': {
    theme: 'caps',
    promise: '14.6',
    changes: [
      {
        file: 'shared/message/send/send-one.ts',
        replace: '() => allowance?.check([message])',
        by: '() => allowance?.take([message])',
      },
    ],
  },
  'an SMS with a password counts twice where its response is lost': {
    theme: 'otp',
    promise: 'decisions/otp-hold',
    changes: [
      {
        file: 'shared/otp/otp-store.dynamo.ts',
        replace: 'AND (attribute_not_exists(counted_leg) OR counted_leg <> :leg)',
        by: '',
      },
    ],
  },
  'a leg of a password that is never stored stays counted for its recipient': {
    theme: 'otp',
    promise: '5.8',
    changes: [
      {
        file: 'shared/message/dispatch/start-next-leg.ts',
        replace: 'if (leg.otp !== undefined) await otpLegs.giveBack(leg, now);',
        by: '',
      },
    ],
  },
};
