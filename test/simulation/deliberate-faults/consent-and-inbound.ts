/** Faults of suppressions, of STOP and START, and of inbound messages. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const receive = 'shared/message/receive-message.ts';

export const faults: DeliberateFaults = {
  'an older opt-out that arrives late undoes a newer change': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/message/suppression/suppression-store.dynamo.ts',
        replace: "'(attribute_not_exists(changed_at) OR changed_at < :at OR changed_at > :possible)'",
        by: "'(attribute_not_exists(changed_at) OR changed_at <> :at OR changed_at > :possible)'",
      },
    ],
  },
  'STOP counts only for the number that WhatsApp names': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/contract/phone-number.ts',
        replace: 'return [...new Set([recipient, ...all])];',
        by: 'return [recipient, ...all].slice(0, 1);',
      },
    ],
  },
  'STOP does not count for all clients that wrote from the number': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [{ file: receive, replace: 'chunksOf(opt_for, ', by: 'chunksOf(opt_for.slice(1), ' }],
  },
  'a repeated inbound message is another one where somebody wrote meanwhile': {
    theme: 'opt-outs',
    promise: '13.1',
    changes: [
      {
        file: receive,
        replace: 'message_id: inboundIdOf(inbound),',
        by: "message_id: derivedId('msg', inboundIdOf(inbound), owner?.clientId ?? unassignedClientId),",
      },
    ],
  },
  'an inbound message belongs to the client that wrote first': {
    theme: 'opt-outs',
    promise: '13.1',
    changes: [
      {
        file: 'shared/message/find-owner.ts',
        replace: 'other.at.getTime() - one.at.getTime()',
        by: 'one.at.getTime() - other.at.getTime()',
      },
    ],
  },
  'one-time passwords are not sent to those who opted out of messages': {
    theme: 'opt-outs',
    promise: '13.3',
    changes: [
      {
        file: 'shared/message/suppression/suppression.ts',
        replace: "return scope === 'all' || !isOneTimePassword;",
        by: 'return scope !== undefined || !isOneTimePassword;',
      },
    ],
  },
  'a refusal by the carrier undoes START': {
    theme: 'opt-outs',
    promise: '13.2',
    changes: [
      {
        file: 'shared/message/suppression/suppression.ts',
        replace: "lastingSources: readonly SuppressionSource[] = ['keyword', 'admin']",
        by: "lastingSources: readonly SuppressionSource[] = ['admin']",
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
};
