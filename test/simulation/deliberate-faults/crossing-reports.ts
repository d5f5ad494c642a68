/** Faults of reports, repeats and questions that cross the calls of a message's attempts. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const receipts = 'shared/message/dispatch/record-receipts.ts';
const dispatch = 'shared/message/dispatch/dispatch-message.ts';
const call = 'shared/message/dispatch/call-carrier.ts';

export const faults: DeliberateFaults = {
  'the failure of an attempt that its carrier refused ends the message': {
    theme: 'messages',
    promise: '16.4',
    changes: [
      {
        file: receipts,
        replace: 'return named !== undefined && !mayBeTaken(named);',
        by: 'return named === undefined && attempt === -1;',
      },
    ],
  },
  'the outcome of an attempt is lost where a report of an earlier one comes during its call': {
    theme: 'otp',
    promise: '16.2',
    changes: [
      {
        file: call,
        replace:
          'if (!isReleased) await noteLateOutcome(dependencies, message, claimId, { attempts: outcome });',
        by: '',
      },
      {
        file: call,
        replace: 'if (failed === undefined && claimId !== undefined && more.attempts !== undefined)',
        by: 'if (failed === null && claimId !== undefined && more.attempts !== undefined)',
      },
    ],
  },
  'an attempt that is taken back leaves its number and its mark': {
    theme: 'otp',
    promise: '16.3',
    changes: [
      {
        file: dispatch,
        replace: '{ attempts: before, attempt, possible_duplicate };',
        by: '{ attempts: before ?? [] };',
      },
    ],
  },
  'an attempt that is taken back is kept where a report of the one before comes meanwhile': {
    theme: 'otp',
    promise: '16.3',
    changes: [
      {
        file: dispatch,
        replace: 'if (!isReleased) await noteLateOutcome(dependencies, message, claimId, takenBack);',
        by: 'void [isReleased, noteLateOutcome];',
      },
    ],
  },
  'what an attempt that is taken back had begun is not removed': {
    theme: 'otp',
    promise: '16.3',
    changes: [
      {
        file: 'shared/message/store/message-store.dynamo.ts',
        replace: 'setOrRemove({\n      ...fields,\n    });',
        by: 'setOrRemove(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)));',
      },
    ],
  },
  'a repeat takes no slot of its sender': {
    theme: 'bulk',
    promise: '14.4',
    changes: [
      {
        file: dispatch,
        replace: 'if (paced === undefined) return { outcome',
        by: 'if (paced === undefined || as.kind !== undefined) return { outcome',
      },
    ],
  },
  'a repeat goes out although the message must not': {
    theme: 'otp',
    promise: '16.2',
    changes: [
      {
        file: dispatch,
        replace:
          '(await isOtpOver(dependencies, message)) || (await refusalOf(dependencies, message)) !== undefined;',
        by: 'false;',
      },
    ],
  },
  'only the carrier of the last attempt is asked before the end': {
    theme: 'otp',
    promise: '16.7',
    changes: [
      {
        file: call,
        replace: '(message.attempts ?? []).filter(mayBeTaken).map(async',
        by: '(message.attempts ?? []).slice(-1).filter(mayBeTaken).map(async',
      },
    ],
  },
  'what is not known of an attempt is settled late': {
    theme: 'messages',
    promise: '16.2',
    changes: [
      {
        file: 'shared/relay/expire-messages.ts',
        replace: 'waitsForReport(message) ? requeueAfterSeconds : lostAfterSeconds,',
        by: 'waitsForReport(message) ? lostAfterSeconds : lostAfterSeconds,',
      },
    ],
  },
  'what is not known of an attempt is settled late where its queue fails': {
    theme: 'messages',
    promise: '16.2',
    changes: [
      {
        file: 'shared/message/dispatch/call-carrier.ts',
        replace: 'const isEnded = until.toISOString() >= message.expires_at;',
        by: `const isEnded = until.toISOString() >= message.expires_at;
  await dependencies.messages.release(message.message_id, claimId, until);`,
      },
    ],
  },
  'the cost of an attempt is lost where the next one begins': {
    theme: 'otp',
    promise: '16.3',
    changes: [
      {
        file: receipts,
        replace:
          'const isNewCost = transition.cost !== undefined && last.outcome === undefined;\n  return isNewCost || (isFailure(transition) && attempt !== last.number);',
        by: 'return isFailure(transition) && attempt !== last.number;',
      },
    ],
  },
};
