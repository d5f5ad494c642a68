/** Faults of suppressions and of messages from recipients. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a repeated inbound message is another one where somebody wrote meanwhile': {
    theme: 'opt-outs',
    promise: '13.1',
    changes: [
      {
        file: 'shared/message/receive-message.ts',
        replace: 'message_id: inboundIdOf(inbound),',
        by: "message_id: derivedId('msg', inboundIdOf(inbound), owner?.clientId ?? unassignedClientId),",
      },
    ],
  },
  'STOP does not stop the client that wrote last by other senders': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/message/suppression/suppressions.dynamo.ts',
        replace: 'const { asksFor, clients: own, senders, recipients, number } = keyword;',
        by: "const { asksFor, clients, senders, recipients, number } = keyword; const own = asksFor === 'opt_out' ? [] : clients;",
      },
    ],
  },
  'STOP does not stop other clients by that sender': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/message/suppression/suppressions.dynamo.ts',
        replace: 'partitionsOf(client_id, from).map((each)',
        by: '[client_id].map((each)',
      },
    ],
  },
  'a repeated STOP undoes what the client said after it': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/message/suppression/suppression.ts',
        replace: 'if (keyword_at === undefined || at.toISOString() > keyword_at) return false;',
        by: "if (keyword_at === undefined || at.toISOString() > keyword_at || asksFor === 'opt_out') return false;",
      },
    ],
  },
  'a suppression is not read at the hand-over': {
    theme: 'opt-outs',
    promise: '13.3',
    changes: [
      {
        file: 'shared/message/suppression/suppression.ts',
        replace: 'export function applies(',
        by: 'export function applies(..._: unknown[]) { return false; }\nexport function appliesReally(',
      },
    ],
  },
  'an older inbound message that arrives late shortens the WhatsApp window': {
    theme: 'opt-outs',
    promise: '13.5',
    changes: [
      {
        file: 'shared/message/store/whatsapp-window.dynamo.ts',
        replace: "'attribute_not_exists(received_at) OR received_at < :at'",
        by: "'attribute_not_exists(received_at) OR received_at <> :at'",
      },
    ],
  },
  'a report that cannot be recorded holds back what people write': {
    theme: 'opt-outs',
    promise: '16.5',
    changes: [
      {
        file: 'shared/message/dispatch/record-receipts.ts',
        replace: 'recordAll(ofOne).catch((error: unknown) => failures.push(error))',
        by: 'recordAll(ofOne)',
      },
    ],
  },
};
