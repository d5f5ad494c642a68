/** Faults of clients, credentials and administration. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'an expired token is accepted for a minute': {
    theme: 'administration',
    promise: '2.1',
    changes: [
      {
        file: 'shared/token/verify-token.dynamo.ts',
        replace: 'claims.exp * 1000 > context.clock().getTime()',
        by: 'claims.exp > 0',
      },
    ],
  },
  'the message of a disabled client is handed over': {
    theme: 'administration',
    promise: '3.2',
    changes: [
      {
        file: 'shared/client/client-store.dynamo.ts',
        replace: 'Item?.disabled === true',
        by: 'Item?.disabled === null',
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
        replace: 'new PutCommand({ TableName: env.API_KEYS_TABLE, Item: key })',
        by: "new PutCommand({ TableName: env.API_KEYS_TABLE, Item: key, ConditionExpression: 'attribute_not_exists(key_hash)' })",
      },
    ],
  },
  'what administrators make is entered in the log afterwards': {
    theme: 'administration',
    promise: '8.2',
    changes: [
      {
        file: 'shared/client/client-admin.ts',
        replace: `await beforeChange(row);
  await storeApiKey(dependencies, row);`,
        by: `await storeApiKey(dependencies, row);
  await beforeChange(row);`,
      },
      {
        file: 'shared/client/client-admin.ts',
        replace: `  await beforeChange(client);
`,
        by: '',
      },
      {
        file: 'shared/client/client-admin.ts',
        replace: 'await storeClient(dependencies, client);',
        by: `await storeClient(dependencies, client);
  await beforeChange(client);`,
      },
    ],
  },
};
