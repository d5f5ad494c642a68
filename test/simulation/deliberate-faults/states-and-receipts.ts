/** Faults of the states of a message, and of the receipts that change them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source files

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const messageStore = 'shared/message/store/message-store.dynamo.ts';
const message = 'shared/message/message.ts';

export const faults: DeliberateFaults = {
  'a message is handed over after its validity': {
    theme: 'messages',
    promise: '6.4',
    changes: [{ file: messageStore, replace: "'expires_at > :now AND (#status", by: "'(#status" }],
  },
  'delivered is not taken after expired': {
    theme: 'messages',
    promise: '6.2',
    changes: [
      {
        file: message,
        replace: "delivered: { from: ['sending', 'sent', 'failed', 'expired']",
        by: "delivered: { from: ['sending', 'sent', 'failed']",
      },
    ],
  },
  'a failure is taken after delivered': {
    theme: 'messages',
    promise: '6.1',
    changes: [
      {
        file: message,
        replace: "failed: { from: ['queued', 'sending', 'sent']",
        by: "failed: { from: ['queued', 'sending', 'sent', 'delivered']",
      },
    ],
  },
  'the receipt of a failure does not fill in sent': {
    theme: 'messages',
    promise: '6.3',
    changes: [
      {
        file: 'shared/message/store/message-store.ts',
        replace: "reported === true ? ['sent'] : []",
        by: "reported === true && to !== 'failed' ? ['sent'] : []",
      },
    ],
  },
  'a receipt overwrites the times of earlier states': {
    theme: 'messages',
    promise: '6.3',
    changes: [
      {
        file: messageStore,
        replace: '`${state}_at = if_not_exists(${state}_at, :at)`',
        by: '`${state}_at = :at`',
      },
    ],
  },
  'a worker releases the claim of another': {
    theme: 'messages',
    promise: '5.1',
    changes: [
      {
        file: messageStore,
        replace: "'#status = :sending AND handover_claim = :claim'",
        by: "'#status = :sending AND (handover_claim = :claim OR attribute_exists(handover_claim))'",
      },
    ],
  },
  'the cost is lost where the receipt was faster than the write of the hand-over': {
    theme: 'messages',
    promise: '11.2',
    changes: [
      {
        file: 'shared/message/dispatch/call-carrier.ts',
        replace: 'if (sent === undefined) await messages.noteHandOver(messageId, noted);',
        by: '',
      },
    ],
  },
  'a message is not found by the id of its carrier': {
    theme: 'messages',
    promise: '6.3',
    changes: [
      {
        file: 'shared/message/store/message-store.dynamo.ts',
        replace: 'carrier_key: report.carrierMessageId',
        by: 'carrier_key: undefined',
      },
    ],
  },
  'a receipt of a message that is not found yet is dropped': {
    theme: 'messages',
    promise: '6.3',
    changes: [
      {
        file: 'shared/message/dispatch/record-receipts.ts',
        replace: "recorded.some(({ outcome }) => outcome === 'unknown_message')",
        by: "recorded.every(({ outcome }) => outcome === 'given_up')",
      },
    ],
  },
  'a sent message expires five minutes late': {
    theme: 'messages',
    promise: '6.4',
    changes: [
      {
        file: 'shared/relay/expire-messages.ts',
        replace: '    default:\n      return expiresAt;',
        by: '    default:\n      return addSeconds(expiresAt, 300);',
      },
    ],
  },
  'a message is kept only until it expires': {
    theme: 'messages',
    promise: '5.6',
    changes: [
      {
        file: 'shared/message/store/message-store.ts',
        replace: 'addDays(new Date(message.expires_at), keptDays(message.client_id, retentionDays))',
        by: 'new Date(message.expires_at)',
      },
    ],
  },
};
