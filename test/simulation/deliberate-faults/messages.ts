/** Faults of sends, states, schedules, attempts and fallback. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a bulk whose request died is not completed by its repeat': {
    theme: 'bulk',
    promise: '5.1',
    changes: [
      {
        file: 'shared/message/send/send-bulk.ts',
        replace: "entry.state === 'storing' ? await",
        by: "entry.state === 'storing' && !replayed ? await",
      },
    ],
  },
  'a message that is canceled at its time goes out': {
    theme: 'schedules',
    promise: '5.3',
    changes: [
      {
        file: 'shared/message/message.ts',
        replace: "queued: { from: ['scheduled']",
        by: "queued: { from: ['scheduled', 'canceled']",
      },
    ],
  },
  'another request with the same key gets the first response': {
    theme: 'messages',
    promise: '5.6',
    changes: [
      {
        file: 'shared/message/send/idempotency.ts',
        replace: 'if (request_hash === fingerprint) return;',
        by: 'if (request_hash !== undefined || request_hash === fingerprint) return;',
      },
    ],
  },
  'a final state can be left again': {
    theme: 'messages',
    promise: '6.1',
    changes: [
      {
        file: 'shared/message/store/message-changes.dynamo.ts',
        replace: 'const conditions = [`#status IN (',
        by: 'const conditions = [`attribute_exists(message_id) OR #status IN (',
      },
    ],
  },
  'delivered is not taken after expired': {
    theme: 'messages',
    promise: '6.2',
    changes: [
      {
        file: 'shared/message/message.ts',
        replace: "delivered: { from: ['sending', 'sent', 'failed', 'expired']",
        by: "delivered: { from: ['sending', 'sent', 'failed']",
      },
    ],
  },
  'the message of another client can be read': {
    theme: 'messages',
    promise: '5.11',
    changes: [
      {
        file: 'shared/message/status-and-cancel.ts',
        replace: 'if (message?.client_id !== clientId) throw',
        by: 'if (message === undefined || clientId === undefined) throw',
      },
    ],
  },
  'a page of the list begins with the last message of the page before': {
    theme: 'messages',
    promise: '5.12',
    changes: [
      {
        file: 'shared/message/store/message-list.dynamo.ts',
        replace: 'if (list_at !== range.before) yield',
        by: 'if (list_at !== range.from) yield',
      },
    ],
  },
  'two messages of a sender take the time of one': {
    theme: 'bulk',
    promise: '14.4',
    changes: [
      {
        file: 'shared/message/dispatch/sender-pace.dynamo.ts',
        replace: "values: { ':step': stepMs, ':from': fromMs, ':limit': limitMs },",
        by: "values: { ':step': stepMs / 2, ':from': fromMs, ':limit': limitMs },",
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
  'a carrier that refused a message is asked for it again': {
    theme: 'messages',
    promise: '16.1',
    changes: [
      {
        file: 'shared/message/dispatch/next-step.ts',
        replace: 'return inOrder.find(({ name }) => !hasRefused(name)) ?? inOrder[0];',
        by: 'return inOrder.find(({ name }) => name !== last || !hasRefused(name)) ?? inOrder[0];',
      },
    ],
  },
  'another carrier is asked although the first may have the message and its sender waits': {
    theme: 'messages',
    promise: '16.2',
    changes: [
      {
        file: 'shared/message/dispatch/next-step.ts',
        replace: "if (isDue && rules.onUnknown[kindOf(message)] === 'send_again') {",
        by: 'if (isDue) {',
      },
    ],
  },
  'a look that comes late expires the message unasked': {
    theme: 'messages',
    promise: '16.7',
    changes: [
      {
        file: 'shared/message/dispatch/look-at-message.ts',
        replace: 'const carriers = ctx.carriersFor(message);',
        by: 'const late = addSeconds(new Date(message.expires_at), 900) <= ctx.clock();\n  const carriers = late ? [] : ctx.carriersFor(message);',
      },
    ],
  },
  'nobody looks at a message that its queue lost': {
    theme: 'messages',
    promise: '5.1',
    changes: [
      {
        file: 'shared/due/due-index.ts',
        replace: 'const lostAfterSeconds = 90;',
        by: 'const lostAfterSeconds = 900;',
      },
    ],
  },
  'a change that was counted before is counted again': {
    theme: 'messages',
    promise: '11.1',
    changes: [
      {
        file: 'shared/usage/count-journal.dynamo.ts',
        replace: 'BigInt(sequence) > latest)',
        by: 'BigInt(sequence) > latest - 1_000n)',
      },
    ],
  },
  'a test message goes to the carrier': {
    theme: 'messages',
    promise: '17.1',
    changes: [
      {
        file: 'shared/carrier/choose-carrier.ts',
        replace: "const isTest = modeOf(client_id) === 'test';",
        by: "const isTest = client_id === '' && modeOf(client_id) === 'test';",
      },
    ],
  },
};
