/** `clients …` and `api-keys …`: creates, shows, disables and enables clients, and creates their API keys. */

import { listApiKeys } from '../../shared/admin/client-credentials.ts';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import { listClients } from '../../shared/admin/manage-clients.ts';
import { type AdminCommand, clientOf } from './command.ts';
import { addOperation } from './operation-command.ts';
import { textFields, textTable } from './print.ts';
import { type ListOptions, listResult, withLimit } from './read-pages.ts';

const shownOnce = 'These secrets are shown once.';

export function addClientCommands(program: AdminCommand): void {
  const clients = program.command('clients').description('the clients of the API');
  addOperation(clients, 'create', 'createClient', {
    description: 'creates a client; its secrets are shown once',
    text: ({ client_id, name, scopes, client_secret, webhook_secret }) => [
      textFields({ client_id, name, scopes, client_secret, webhook_secret }),
      shownOnce,
    ],
  }).addHelpText(
    'after',
    '\nAn administrator has the scope admin.\n\nExamples:\n  $ npm run admin -- clients create --name "Web shop" --json\n  $ npm run admin -- clients create --name Operations --scopes admin',
  );
  withLimit(clients.command('list'))
    .description('lists all clients')
    .run(async ({ ctx }, options: ListOptions) =>
      listResult('clients', (page) => listClients(ctx, page), options, clientTable),
    );
  addOperation(clients, 'show', 'showClient', {
    description: 'shows one client and its API keys',
    text: ({ api_keys, ...client }) => [textFields(client), keyTable(api_keys)],
  });
  addOperation(clients, 'disable', 'changeClient', {
    description: 'refuses all requests of the client, within 60 seconds',
    fixed: { disabled: true },
    text: ({ client_id }) => `${client_id} is disabled.`,
  });
  addOperation(clients, 'enable', 'changeClient', {
    description: 'accepts its requests again',
    fixed: { disabled: false },
    text: ({ client_id }) => `${client_id} is enabled.`,
  });

  const keys = program.command('api-keys').description('keys for clients that cannot request tokens');
  addOperation(keys, 'create', 'createApiKey', {
    description: 'creates an API key and shows it once; a key created with --test sends no real messages',
    text: ({ key_id, api_key }) => [textFields({ key_id, api_key }), shownOnce],
  });
  keys
    .command('list <client>')
    .description("lists a client's API keys, without the keys themselves")
    .run(async (session, client: string) => {
      const found = await listApiKeys(session.ctx, await clientOf(session, client));
      return { json: { api_keys: found }, text: () => keyTable(found) };
    });
  addOperation(keys, 'revoke', 'revokeApiKey', {
    description: 'revokes an API key, within 60 seconds',
    text: ({ api_keys }) => keyTable(api_keys),
  });
}

const stateOf = ({ disabled }: RowOf<'listClients', 'clients'>): string =>
  disabled ? 'disabled' : 'enabled';

function clientTable(clients: readonly RowOf<'listClients', 'clients'>[]): string {
  return textTable(
    clients,
    [
      'client_id',
      'name',
      ['scopes', (client) => client.scopes.join(', ')],
      ['state', stateOf],
      'webhook_url',
      ['created', 'created_at'],
    ],
    'There are no clients.',
  );
}

function keyTable(keys: readonly RowOf<'showClient', 'api_keys'>[]): string {
  return textTable(
    keys,
    ['key_id', ['created', 'created_at'], ['revoked', 'revoked_at']],
    'It has no API keys.',
  );
}
