/** Faults of usage, of the pace of senders, and of the legs of a fallback. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const slot = 'shared/message/slot.ts';

export const faults: DeliberateFaults = {
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
  'two workers reserve the same slots of a sender': {
    theme: 'bulk',
    promise: '14.4',
    changes: [
      {
        file: 'shared/message/dispatch/sender-pace-store.dynamo.ts',
        replace: "'revision = :seen'",
        by: "'revision = :seen OR attribute_exists(revision)'",
      },
    ],
  },
  'a slot may be used in the second after it': {
    theme: 'bulk',
    promise: '14.4',
    changes: [{ file: slot, replace: 'const latestMs = 900;', by: 'const latestMs = 1900;' }],
  },
  'the pace of a sender counts messages, not segments': {
    theme: 'bulk',
    promise: '14.4',
    changes: [
      {
        file: 'shared/message/dispatch/reserve-slots.ts',
        replace: 'segments: message.segments ?? 1,',
        by: 'segments: message.segments === undefined ? 0 : 1,',
      },
    ],
  },
  'one-time passwords that wait keep the places of an older pace': {
    theme: 'otp',
    promise: '14.4',
    changes: [
      {
        file: 'shared/message/dispatch/reserve-slots.ts',
        replace: '    const { slots } = await readFrom(message.identity);',
        by: "    if (message.kind === 'otp') return true;\n    const { slots } = await readFrom(message.identity);",
      },
    ],
  },
  'a bulk that waits keeps the pace that it was accepted with': {
    theme: 'bulk',
    promise: '14.4',
    changes: [
      {
        file: 'shared/message/dispatch/reserve-slots.ts',
        replace: 'return pacedMessageOf(message, current ?? undefined);',
        by: 'return pacedMessageOf(message, current === undefined ? current : undefined);',
      },
    ],
  },
  'a lowered pace counts for what waits only after five minutes': {
    theme: 'bulk',
    promise: '14.4',
    changes: [
      {
        file: 'shared/sender/current-pace.ts',
        replace: 'new CachedReader(readAll, accessCache, clock)',
        by: 'new CachedReader(readAll, { ...accessCache, maxAgeSeconds: 300 }, clock)',
      },
    ],
  },
  'a request that still had a former pace has the later one replaced': {
    theme: 'bulk',
    promise: '14.4',
    changes: [
      {
        file: 'shared/message/dispatch/reserve-slots.ts',
        replace: ' - accessCache.maxAgeSeconds * 1000',
        by: '',
      },
    ],
  },
  "a carrier's secret is read after the slot was checked": {
    theme: 'bulk',
    promise: '14.4',
    changes: [
      {
        file: 'shared/message/dispatch/dispatch-message.ts',
        replace: 'const defaultSender = await carrier.defaultSender?.().catch(() => undefined);',
        by: 'const defaultSender = undefined;',
      },
    ],
  },
  'the first of several rows of a sender gives its pace, not the lowest': {
    theme: 'bulk',
    promise: '14.4',
    changes: [
      {
        file: 'shared/sender/sender-row.ts',
        replace: 'Math.min(pace, paces.get(key) ?? pace)',
        by: 'paces.get(key) ?? pace',
      },
    ],
  },
  'the pace of a sender counts for messages of its own row only': {
    theme: 'bulk',
    promise: '14.4',
    changes: [
      {
        file: 'shared/sender/select-sender.ts',
        replace: 'if (lowest === undefined) return sender;',
        by: 'if (lowest === undefined || lowest > 0) return sender;',
      },
    ],
  },
  'a leg starts although the one before was delivered meanwhile': {
    theme: 'messages',
    promise: '14.7',
    changes: [
      {
        file: 'shared/message/dispatch/start-next-leg.ts',
        replace: 'messages.createLeg(row, earlierIds)',
        by: 'messages.createLeg(row, earlierIds.slice(1))',
      },
    ],
  },
  'a leg is handed over although another was delivered': {
    theme: 'messages',
    promise: '14.7',
    changes: [
      {
        file: 'shared/message/dispatch/start-next-leg.ts',
        replace: "if (legs.some(({ status }) => status === 'delivered' || status === 'read')) return true;",
        by: "if (legs.some(({ status }) => status === 'read')) return true;",
      },
    ],
  },
};
