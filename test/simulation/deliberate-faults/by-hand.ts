/** Faults of rows that administrators and people in the console change, and of what they and clients see of them. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const clientAdmin = 'shared/client/client-admin.ts';

export const faults: DeliberateFaults = {
  'an endpoint that is enabled by hand is disabled by its first failure': {
    theme: 'webhooks',
    promise: '12.5',
    changes: [
      {
        file: 'shared/webhook/endpoint-store.dynamo.ts',
        replace: 'revision = :revision REMOVE failing_since, failed_attempts',
        by: 'revision = :revision',
      },
    ],
  },
  'a suppression that a person set again is deleted as one that ended': {
    theme: 'opt-outs',
    promise: '13.3',
    changes: [
      {
        file: 'shared/message/suppression/compare-opt-outs.ts',
        replace: 'for (const row of ending) await suppressions.keep(row);',
        by: '',
      },
    ],
  },
  'an allowance for good is ended by another one of that moment': {
    theme: 'otp',
    promise: 'decisions/otp-hold',
    changes: [
      {
        file: 'shared/otp/otp-holds.dynamo.ts',
        replace: '...(isForGood\n',
        by: '...(allowance\n',
      },
    ],
  },
  'an emptied list of webhook secrets gets none again': {
    theme: 'rows',
    editedTable: 'ClientSecrets',
    promise: '7.6',
    changes: [
      {
        file: 'shared/client/webhook-secrets.dynamo.ts',
        replace: 'ConditionExpression: mayBeAbsent\n',
        by: `ConditionExpression: before.length === 0 ? \`attribute_not_exists(\${list}) AND NOT \${list} = :before\` : mayBeAbsent\n`,
      },
    ],
  },
  'a leaked webhook secret is not ended while five are in use': {
    theme: 'administration',
    promise: '7.6',
    changes: [
      {
        file: clientAdmin,
        replace: 'if (overlapHours > 0) assertFewerThan(webhookSecretsMax, own);',
        by: 'assertFewerThan(webhookSecretsMax, own);',
      },
    ],
  },
  'the list of suppressions ends at a row whose key is no number': {
    theme: 'opt-outs',
    promise: '5.12',
    changes: [
      {
        file: 'shared/message/suppression/manage-suppressions.ts',
        replace: '/^.{1,1024}$/su',
        by: '/^\\+?[0-9]{1,15}$/',
      },
    ],
  },
  'an API key that was just made cannot be revoked': {
    theme: 'administration',
    promise: '3.2',
    changes: [{ file: clientAdmin, replace: 'delaysMs: [200, 400, 800]', by: 'delaysMs: []' }],
  },
  'a repeated name of an event is stored twice': {
    theme: 'webhooks',
    promise: '12.1',
    changes: [
      { file: 'shared/webhook/webhook-endpoint.ts', replace: '[...new Set(names)]', by: '[...names]' },
    ],
  },
  'a webhook is shown as pending that nobody gets': {
    theme: 'webhooks',
    promise: '12.3',
    changes: [
      {
        file: 'shared/webhook/log/delivery-log.ts',
        replace: '[endpoint, asOf(endpoint, happenedAt)]',
        by: '[endpoint]',
      },
    ],
  },
};
