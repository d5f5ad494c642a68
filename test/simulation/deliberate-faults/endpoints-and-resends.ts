/** Faults of resends of many and of endpoints whose attempts fail, where clocks differ, workers die or requests are repeated. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'the same resend of many is another one after 20 minutes': {
    theme: 'webhooks',
    promise: '12.4',
    changes: [
      {
        file: 'shared/webhook/log/request-resend.ts',
        replace: 'const samePeriodsMax = 36;',
        by: 'const samePeriodsMax = 2;',
      },
    ],
  },
  'a resend of many leaves out what failed in the moment before, where clocks differ': {
    theme: 'webhooks',
    promise: '12.4',
    changes: [
      {
        file: 'shared/webhook/log/resend.ts',
        replace: 'const clocksDifferSeconds = 5;',
        by: 'const clocksDifferSeconds = 0;',
      },
    ],
  },
  'an endpoint is disabled although it had a success, whose worker died before it was counted': {
    theme: 'webhooks',
    promise: '12.5',
    changes: [
      {
        file: 'shared/webhook/deliver/deliver-webhook.ts',
        replace:
          'await (attempt.error === undefined ? counting : orWarn(dependencies, notCounted, counting));',
        by: 'await orWarn(dependencies, notCounted, counting);',
      },
      {
        file: 'shared/webhook/deliver/deliver-webhook.ts',
        replace: '    await countSuccessAgain(dependencies, seen);\n',
        by: '    void countSuccessAgain;\n',
      },
    ],
  },
  'a webhook that its queue lost is forgotten where its endpoint is disabled meanwhile': {
    theme: 'webhooks',
    promise: '7.12',
    changes: [
      {
        file: 'shared/webhook/sweep-deliveries.ts',
        replace: 'return { ...endpoint, enabled: true, events: undefined };',
        by: 'return { ...endpoint, events: undefined };',
      },
    ],
  },
  'an event that its queue lost is planned for the endpoints as they are at its review': {
    theme: 'webhooks',
    promise: '12.1',
    changes: [
      {
        file: 'shared/webhook/sweep-deliveries.ts',
        replace: '.map((endpoint) => asOf(endpoint, happened.happenedAt));',
        by: '.filter((endpoint) => asOf(endpoint, happened.happenedAt) !== undefined);',
      },
    ],
  },
  'a webhook that is resent at the end of its retention is deleted before its attempt': {
    theme: 'webhooks',
    promise: '7.9',
    changes: [
      {
        file: 'shared/webhook/delivery.ts',
        replace: 'const keptForResendSeconds = 3600;',
        by: 'const keptForResendSeconds = 0;',
      },
    ],
  },
  'an endpoint that takes opt-outs only cannot be tested': {
    theme: 'webhooks',
    promise: '1.7',
    changes: [
      {
        file: 'shared/webhook/test-event.ts',
        replace: 'const isOfRecipient = recipientEventNames.some((one) => one === name);',
        by: 'const isOfRecipient = recipientEventNames.length === 0;',
      },
    ],
  },
};
