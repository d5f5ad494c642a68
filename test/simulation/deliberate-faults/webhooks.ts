/** Faults of webhooks, their endpoints, their log and resends. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a record that was set aside is not relayed again': {
    theme: 'webhooks',
    promise: '7.12',
    changes: [
      {
        file: 'shared/relay/relay.ts',
        replace: 'await relayChanges(context, await changesIn(record));',
        by: 'await changesIn(record);',
      },
    ],
  },
  'a webhook whose queue message is lost is not sent': {
    theme: 'webhooks',
    promise: '7.12',
    changes: [
      {
        file: 'shared/webhook/delivery.ts',
        replace: ': dueFields(given.delivery_id, lookAfter(now))),',
        by: ': {}),',
      },
    ],
  },
  'a worker keeps the secrets of a client for five minutes': {
    theme: 'webhooks',
    promise: '7.6',
    changes: [
      {
        file: 'shared/client/webhook-secrets.dynamo.ts',
        replace: 'maxAgeSeconds: 30,',
        by: 'maxAgeSeconds: 300,',
      },
    ],
  },
  'a webhook is repeated too early': {
    theme: 'webhooks',
    promise: '7.8',
    changes: [
      { file: 'shared/contract/webhook-worker-times.ts', replace: '[30, 120, 600', by: '[20, 120, 600' },
    ],
  },
  'a webhook is not sent again while its alert is pending': {
    theme: 'webhooks',
    promise: '7.9',
    changes: [
      {
        file: 'shared/webhook/log/request-resend.ts',
        replace: 'await alertFailure(context, seen);',
        by: 'void alertFailure;',
      },
      {
        file: 'shared/webhook/log/request-resend.ts',
        replace: '  if (!resendable) {',
        by: '  if (!resendable || seen.alert_pending) {',
      },
    ],
  },
  'a disabled endpoint still gets what is on its way': {
    theme: 'webhooks',
    promise: '12.1',
    changes: [
      {
        file: 'shared/webhook/deliver/deliver-webhook.ts',
        replace: "unposted: endpoint.enabled ? undefined : 'endpoint_disabled'",
        by: 'unposted: undefined',
      },
    ],
  },
  'a client has eleven endpoints': {
    theme: 'webhooks',
    promise: '12.2',
    changes: [
      {
        file: 'shared/webhook/endpoint-store.dynamo.ts',
        replace: "'attribute_not_exists(endpoints) OR endpoints < :max'",
        by: "'attribute_not_exists(endpoints) OR endpoints <= :max'",
      },
    ],
  },
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
  'an endpoint is disabled although it had a success': {
    theme: 'webhooks',
    promise: '12.5',
    changes: [
      {
        file: 'shared/webhook/deliver/disable-endpoint.ts',
        replace: 'if (endpoint.failing_since !== undefined) await clearEndpointFailures(context, endpoint);',
        by: '',
      },
    ],
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
      {
        file: 'shared/http/response.ts',
        replace: `  'TransactionConflictException',
`,
        by: '',
      },
    ],
  },
};
