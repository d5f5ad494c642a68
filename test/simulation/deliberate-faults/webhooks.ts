/** Faults of webhooks. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a webhook is repeated too early': {
    theme: 'webhooks',
    promise: '7.8',
    changes: [{ file: 'shared/webhook/delivery.ts', replace: '[30, 120, 600', by: '[20, 120, 600' }],
  },
  'a write beside a transaction on the same row is not repeated': {
    theme: 'webhooks',
    promise: '12.7',
    changes: [
      {
        file: 'shared/platform/aws/clients.ts',
        replace: 'return retryingConflicts(prepared(new DynamoDBClient({ ...clientConfig, ...config })));',
        by: 'return prepared(new DynamoDBClient({ ...clientConfig, ...config }));',
      },
      {
        file: 'shared/webhook/endpoint-store.dynamo.ts',
        replace: 'if (error instanceof TransactionConflictException) return true;',
        by: '',
      },
      { file: 'shared/http/response.ts', replace: "  'TransactionConflictException',\n", by: '' },
    ],
  },
  'a resend of many leaves out what failed while its alert was pending': {
    theme: 'webhooks',
    promise: '12.4',
    changes: [
      {
        file: 'shared/webhook/log/run-resend.ts',
        replace: 'isAskedFor(resend, delivery) && failedAt === finishedBefore(resend, delivery) ?',
        by: 'isAskedFor(resend, delivery) && !delivery.alert_pending && failedAt === finishedBefore(resend, delivery) ?',
      },
    ],
  },
  'a webhook is not sent again while its alert is pending': {
    theme: 'webhooks',
    promise: '7.9',
    changes: [
      {
        file: 'shared/webhook/log/request-resend.ts',
        replace: 'await alertFailure(dependencies, seen);',
        by: 'void alertFailure;',
      },
      {
        file: 'shared/webhook/log/request-resend.ts',
        replace: '  if (!resendable) {',
        by: '  if (!resendable || seen.alert_pending) {',
      },
    ],
  },
  'an endpoint is disabled before the success is counted whose worker died': {
    theme: 'webhooks',
    promise: '12.5',
    changes: [
      {
        file: 'shared/webhook/deliver/disable-endpoint.ts',
        replace: 'const disableGraceSeconds = 900;',
        by: 'const disableGraceSeconds = 0;',
      },
    ],
  },
  'the notice of a disabled endpoint is lost with its worker': {
    theme: 'webhooks',
    promise: '12.5',
    changes: [
      {
        file: 'shared/webhook/deliver/disable-endpoint.ts',
        replace: 'if (disabled?.notice_pending) await',
        by: 'if (isFailing && disabled?.notice_pending) await',
      },
    ],
  },
};
