/** Faults of tokens, keys and secrets, and of what belongs to another client. */

import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const authenticate = 'shared/http/authenticate.ts';
const clientAdmin = 'shared/client/client-admin.ts';

export const faults: DeliberateFaults = {
  'a token of fewer scopes opens all': {
    theme: 'administration',
    promise: '2.4',
    changes: [
      {
        file: authenticate,
        replace: 'client.scopes.filter((held) => granted.has(held))',
        by: 'client.scopes.filter((held) => granted.size > 0 || granted.has(held))',
      },
    ],
  },
  'an expired token is accepted for a minute': {
    theme: 'administration',
    promise: '2.1',
    changes: [
      {
        file: 'shared/token/token-verifier.ts',
        replace: 'Math.min(claims.data.exp * 1000, now.getTime() + tokenBounds.seconds * 1000)',
        by: 'now.getTime() + tokenBounds.seconds * 1000',
      },
    ],
  },
  'a revoked key is accepted': {
    theme: 'administration',
    promise: '3.2',
    changes: [
      {
        file: authenticate,
        replace: 'row === undefined || row.revoked_at !== undefined ?',
        by: 'row === undefined ?',
      },
    ],
  },
  'the message of a disabled client is handed over': {
    theme: 'administration',
    promise: '3.2',
    changes: [
      {
        file: 'shared/client/client-store.dynamo.ts',
        replace: 'Item?.disabled !== undefined && Item.disabled !== false',
        by: 'Item?.disabled !== undefined && Item.disabled === null',
      },
    ],
  },
  'the previous secret of a client never ends': {
    theme: 'administration',
    promise: '2.6',
    changes: [
      {
        file: 'shared/client/client.ts',
        replace: 'if (sameHash(known.hash, hash) && isLive(known, now)) found = true;',
        by: 'if (sameHash(known.hash, hash)) found = true;',
      },
    ],
  },
  'the new secret ends in place of the previous one': {
    theme: 'administration',
    promise: '2.6',
    changes: [{ file: clientAdmin, replace: 'secrets.slice(0, 1)', by: 'secrets.slice(1)' }],
  },
  'a third secret is made': {
    theme: 'administration',
    promise: '2.6',
    changes: [
      { file: clientAdmin, replace: 'assertFewerThan(clientSecretsMax, live, endPreviousText);', by: '' },
    ],
  },
  'the message of another client can be read': {
    theme: 'messages',
    promise: '5.11',
    changes: [
      {
        file: 'shared/message/status-and-cancel.ts',
        replace: 'if (message?.client_id !== clientId) throw',
        by: 'if (message === undefined || clientId === undefined) throw',
      },
    ],
  },
  'the batch of another client can be read': {
    theme: 'bulk',
    promise: '5.11',
    changes: [
      {
        file: 'shared/message/status-and-cancel.ts',
        replace: 'if (batch?.client_id !== clientId) throw',
        by: 'if (batch === undefined || clientId === undefined) throw',
      },
    ],
  },
  'a page of the list begins with the last message of the page before': {
    theme: 'messages',
    promise: '5.12',
    changes: [
      {
        file: 'shared/message/store/message-list.dynamo.ts',
        replace: 'if (list_at !== range.before) yield',
        by: 'if (list_at !== range.from) yield',
      },
    ],
  },
};
