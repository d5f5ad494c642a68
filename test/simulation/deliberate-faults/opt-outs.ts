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
  'STOP does not count for all clients that wrote from the number': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/message/receive-message.ts',
        replace: 'chunksOf(opt_for, ',
        by: 'chunksOf(opt_for.slice(1), ',
      },
    ],
  },
  'the end that a client asks for takes the place of a START': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/message/suppression/suppression-store.dynamo.ts',
        replace: 'if (change.scope === undefined && isEnded && isLasting(row) && !isLasting(change))',
        by: 'if (change.scope === null && isEnded && isLasting(row) && !isLasting(change))',
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
