/** Faults of one-time passwords: their attempts, their end, how often they are sent. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const otpStore = 'shared/otp/otp-store.dynamo.ts';

export const faults: DeliberateFaults = {
  'a code may be tried once more': {
    theme: 'otp',
    promise: '5.10',
    changes: [{ file: otpStore, replace: 'attempts < max_attempts', by: 'attempts <= max_attempts' }],
  },
  'an expired code is accepted': {
    theme: 'otp',
    promise: '5.10',
    changes: [
      {
        file: otpStore,
        replace: 'expires_at > :now AND attempts',
        by: '(expires_at > :now OR attribute_exists(expires_at)) AND attempts',
      },
    ],
  },
  'an attempt whose response was lost counts twice': {
    theme: 'otp',
    promise: '5.10',
    changes: [
      {
        file: otpStore,
        replace: ' AND NOT contains(attempted_by, :work)',
        by: '',
      },
    ],
  },
  'an attempt whose response was lost is known only while it is the latest': {
    theme: 'otp',
    promise: '5.10',
    changes: [
      {
        file: otpStore,
        replace: 'list_append(if_not_exists(attempted_by, :none), :works)',
        by: ':works',
      },
    ],
  },
  'the recipient beside the id of a password is not compared': {
    theme: 'otp',
    promise: '5.10',
    changes: [
      {
        file: otpStore,
        replace: 'Object.entries({ recipient, purpose }).filter(([, value]) => value !== undefined)',
        by: 'Object.entries({ purpose }).filter(([, value]) => value !== undefined)',
      },
    ],
  },
  'concurrent sends of passwords overwrite what the other has counted': {
    theme: 'otp',
    promise: '5.8',
    changes: [
      {
        file: 'shared/otp/otp-sends.dynamo.ts',
        replace: "'attribute_not_exists(otp_id) OR revision = :seen'",
        by: "'attribute_not_exists(otp_id) OR revision >= :seen'",
      },
    ],
  },
  'a recipient gets six passwords in ten minutes': {
    theme: 'otp',
    promise: '5.8',
    changes: [
      {
        file: 'shared/otp/recipient-limit.ts',
        replace: 'others.length >= recipientSendsMax',
        by: 'others.length > recipientSendsMax',
      },
    ],
  },
  'a recipient of five passwords waits longer than ten minutes': {
    theme: 'otp',
    promise: '5.8',
    changes: [
      {
        file: 'shared/otp/recipient-limit.ts',
        replace: 'Math.min(recipientWindowSeconds, Math.max(1, Math.ceil((endsAt - now.getTime()) / 1000)))',
        by: 'Math.max(1, Math.ceil((endsAt - now.getTime()) / 1000))',
      },
    ],
  },
  'a password that was tried gets a new code when it is sent again': {
    theme: 'otp',
    promise: '5.8',
    changes: [
      {
        file: 'shared/otp/send-otp.ts',
        replace: 'if (pending !== undefined && isPending(pending, now)) return',
        by: 'if (pending !== undefined && pending.attempts === 0 && isPending(pending, now)) return',
      },
    ],
  },
  'the sends to a recipient are kept for five minutes only': {
    theme: 'otp',
    promise: '5.8',
    changes: [
      {
        file: otpStore,
        replace: 'addSeconds(now, 2 * recipientWindowSeconds)',
        by: 'addSeconds(now, recipientWindowSeconds / 2)',
      },
    ],
  },
  'an allowance of passwords is in force only minutes later': {
    theme: 'otp',
    promise: 'decisions/otp-hold',
    changes: [
      {
        file: 'shared/otp/otp-holds.dynamo.ts',
        replace: 'rememberedSeconds = 20;',
        by: 'rememberedSeconds = 200;',
      },
    ],
  },
  'passwords by WhatsApp are held too': {
    theme: 'otp',
    promise: 'decisions/otp-hold',
    changes: [
      {
        file: 'shared/otp/send-otp.ts',
        replace: "      if (wanted.channel === 'sms')\n",
        by: '',
      },
    ],
  },
  'a leg by SMS starts while passwords are held': {
    theme: 'otp',
    promise: 'decisions/otp-hold',
    changes: [
      {
        file: 'shared/otp/otp-legs.ts',
        replace: "const check = channel === 'sms' ?",
        by: "const check = channel === 'whatsapp' ?",
      },
    ],
  },
  'passwords go to a country that is held': {
    theme: 'otp',
    promise: 'decisions/otp-hold',
    changes: [
      {
        file: 'shared/otp/otp-holds.dynamo.ts',
        replace: "if (own?.state === 'held') return true;",
        by: '',
      },
    ],
  },
};
