/** Faults of administration and of credentials. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const rowEditor = 'shared/edited-table/row-editor.dynamo.ts';
const clientAdmin = 'shared/client/client-admin.ts';

export const faults: DeliberateFaults = {
  'a change by the API undoes what is edited by hand meanwhile': {
    theme: 'administration',
    promise: '10.6',
    changes: [
      { file: rowEditor, replace: '.filter(([name, value]) => value !== row?.[name])', by: '' },
      {
        file: rowEditor,
        replace: 'const unchanged = unchangedRow(image, attributes);',
        by: `const unchanged = {
          ...unchangedRow(undefined, attributes),
          ConditionExpression: 'attribute_exists(client_id) OR attribute_not_exists(client_id)',
        };`,
      },
    ],
  },
  'a rotation whose response is lost ends the secret before': {
    theme: 'administration',
    promise: '2.6',
    changes: [
      {
        file: clientAdmin,
        replace: 'if (client.secrets.some(({ hash }) => hash === created.hash)) return clientSecret;',
        by: '',
      },
      { file: clientAdmin, replace: 'assertFewerThan(clientSecretsMax, live, endPreviousText);', by: '' },
      {
        file: clientAdmin,
        replace: '[created, ...live.map((previous) =>',
        by: '[created, ...live.slice(0, 1).map((previous) =>',
      },
    ],
  },
  'a client or a key whose creation is repeated fails': {
    theme: 'administration',
    promise: '8.1',
    changes: [
      {
        file: 'shared/client/client-store.dynamo.ts',
        replace: 'creating.applied || isDeepStrictEqual(creating.row?.secrets, client.secrets)',
        by: 'creating.applied',
      },
      {
        file: 'shared/client/client-store.dynamo.ts',
        replace: 'new PutCommand({ TableName, Item: key })',
        by: "new PutCommand({ TableName, Item: key, ConditionExpression: 'attribute_not_exists(key_hash)' })",
      },
    ],
  },
  'a read that must be fresh joins an older one': {
    theme: 'administration',
    promise: '2.5',
    changes: [
      {
        file: 'shared/platform/expiring-cache.ts',
        replace: '    const reading = { begunMs: now.getTime(), value: this.#read(key) };',
        by: `    const older = this.#pending.get(key);
    if (older !== undefined) return older.value;
    const reading = { begunMs: now.getTime(), value: this.#read(key) };`,
      },
    ],
  },
  'all failed webhooks of a client are entries of one partition': {
    theme: 'webhooks',
    promise: 'cost-and-scale',
    changes: [
      {
        file: 'shared/activity/activity-log.dynamo.ts',
        replace: "(createHash('sha256').update(entry_id).digest()[0] ?? 0) % activityShards",
        by: "(createHash('sha256').update(kind).digest()[0] ?? 0) % activityShards",
      },
    ],
  },
  'what administrators make is entered in the log afterwards': {
    theme: 'administration',
    promise: '8.2',
    changes: [
      {
        file: clientAdmin,
        replace: 'await beforeChange(row);\n  await dependencies.apiKeys.create(row);',
        by: 'await dependencies.apiKeys.create(row);\n  await beforeChange(row);',
      },
      { file: clientAdmin, replace: '  await beforeChange(client);\n', by: '' },
      {
        file: clientAdmin,
        replace: 'await dependencies.clients.create(client);',
        by: 'await dependencies.clients.create(client);\n  await beforeChange(client);',
      },
    ],
  },
};
