/** `clients …` and `api-keys …`: creates clients, sets their permissions, and rotates secrets, each shown once. */
import {
  createApiKey,
  endPreviousSecret,
  listApiKeys,
  revokeApiKey,
  rotateClientSecret,
  rotateWebhookSecret,
} from '../../shared/admin/client-credentials.ts';
import {
  type ApiKeyView,
  assertWebhookUrl,
  type ClientView,
  changePermissions,
  changeWebhookUrl,
  createClient,
  listClients,
  newClientBody,
  permissionsBody,
  setClientDisabled,
  showClient,
} from '../../shared/admin/clients.ts';
import { clientIdOf, ofMode } from '../../shared/admin/find-client.ts';
import { previousSecretHoursMax, secretRotationBody } from '../../shared/client/client-admin.ts';
import { GatewayError } from '../../shared/contract/errors.ts';
import { parseFields } from '../../shared/operation/operation.ts';
import type { AdminCommand, CommandResult } from './command.ts';
import { type ListOptions, listResult, withLimit } from './pages.ts';
import { textFields, textTable } from './print.ts';

interface RotateOptions extends TestOption {
  readonly webhook: boolean;
  readonly overlapHours?: number;
}

const shownOnce = 'These secrets are shown once; the gateway keeps only what it needs to check or to sign.';

const ofTestData = 'of the test data of the client: nothing that it sends reaches a carrier';

interface TestOption {
  readonly test: boolean;
}

export function addClientCommands(program: AdminCommand): void {
  const clients = program.command('clients').description('the clients of the API, and their secrets');
  clients
    .command('create')
    .description('creates a client; its secrets are shown once')
    .requiredOption('--name <name>', 'what people call it')
    .option('--admin', 'may administer the gateway, instead of sending messages', false)
    .option('--webhook-url <url>', 'the URL of its webhooks, unless a request has another')
    .addHelpText('after', '\nExample:\n  $ npm run admin -- clients create --name "Web shop" --json')
    .run(async ({ dependencies, actor }, options: { name: string; admin: boolean; webhookUrl?: string }) => {
      const wanted = parseFields(newClientBody(dependencies), {
        name: options.name,
        scopes: [options.admin ? 'admin' : 'messages'],
        webhook_url: options.webhookUrl,
      });
      const created = await createClient(dependencies, actor, wanted);
      const { client_id, name, scopes, client_secret, webhook_secret } = created;
      return {
        json: created,
        text: () => [textFields({ client_id, name, scopes, client_secret, webhook_secret }), shownOnce],
      };
    });
  withLimit(clients.command('list'))
    .description('lists all clients')
    .run(async ({ dependencies }, options: ListOptions) =>
      listResult('clients', (page) => listClients(dependencies, page), options, clientTable),
    );
  clients
    .command('show')
    .description('shows one client and its API keys')
    .argument('<client>', 'id or name')
    .run(async ({ dependencies }, named: string) => {
      const clientId = await clientIdOf(dependencies, named);
      const { api_keys, ...client } = await showClient(dependencies, clientId);
      return {
        json: { ...client, api_keys },
        text: () => [textFields({ ...client }), keyTable(api_keys)],
      };
    });
  for (const [name, disabled] of [
    ['disable', true],
    ['enable', false],
  ] as const) {
    clients
      .command(name)
      .description(
        disabled ? 'refuses all requests of the client, within 60 seconds' : 'accepts its requests again',
      )
      .argument('<client>', 'id or name')
      .run(async ({ dependencies, actor }, named: string) => {
        const clientId = await clientIdOf(dependencies, named);
        await setClientDisabled(dependencies, actor, clientId, disabled);
        return done(
          { client_id: clientId, disabled },
          `${clientId} is ${disabled ? 'disabled' : 'enabled'}.`,
        );
      });
  }
  clients
    .command('rotate-secret')
    .description(
      'issues a new client secret; the previous one stays valid for 24 hours, or for --overlap-hours',
    )
    .argument('<client>', 'id or name')
    .option(
      '--webhook',
      'the webhook secret instead; it signs from active_at on, the previous one for 24 hours after that too',
      false,
    )
    .option(
      '--overlap-hours <hours>',
      `0 to ${previousSecretHoursMax}; after a leak 0: only the new secret is valid, of webhooks from active_at on`,
      Number,
    )
    .option('--test', ofTestData, false)
    .run(async ({ dependencies, actor }, named: string, { webhook, overlapHours, test }: RotateOptions) => {
      const rotation = parseFields(secretRotationBody, { overlap_hours: overlapHours });
      const clientId = ofMode(await clientIdOf(dependencies, named), test);
      const rotated = webhook
        ? await rotateWebhookSecret(dependencies, actor, clientId, rotation)
        : await rotateClientSecret(dependencies, actor, clientId, rotation);
      return { json: rotated, text: () => [textFields({ ...rotated }), shownOnce] };
    });
  clients
    .command('end-previous-secret')
    .description('refuses every client secret but the newest, within 60 seconds')
    .argument('<client>', 'id or name')
    .option('--test', ofTestData, false)
    .run(async ({ dependencies, actor }, named: string, { test }: TestOption) => {
      const clientId = ofMode(await clientIdOf(dependencies, named), test);
      await endPreviousSecret(dependencies, actor, clientId);
      return done({ client_id: clientId }, `Only the newest client secret of ${clientId} is valid.`);
    });
  clients
    .command('allow')
    .description('sets the only countries and senders that the client may use, within 60 seconds')
    .argument('<client>', 'id or name')
    .option(
      '--countries <codes>',
      'such as GB,FR or, for numbers without a country, +881; "any" removes the list: the client follows the allowedCountries of the stage',
    )
    .option('--senders <names>', 'such as ACME,+447700900123,otp,whatsapp; "any" allows all')
    .addHelpText(
      'after',
      '\nA client with senders must name one of them in "from". One-time passwords and WhatsApp messages have no sender:\nthey are refused unless the list has the words otp and whatsapp.\n\nExample:\n  $ npm run admin -- clients allow "Web shop" --countries GB,FR --senders ACME,otp,whatsapp',
    )
    .run(
      async ({ dependencies, actor }, named: string, options: { countries?: string; senders?: string }) => {
        if (options.countries === undefined && options.senders === undefined)
          throw new GatewayError('invalid_request', 'Give --countries or --senders.');
        const wanted = { countries: listIn(options.countries), senders: listIn(options.senders) };
        const change = parseFields(permissionsBody, wanted);
        const clientId = await clientIdOf(dependencies, named);
        await changePermissions(dependencies, actor, clientId, change);
        const { countries, senders } = await showClient(dependencies, clientId);
        return {
          json: { client_id: clientId, countries, senders },
          text: () =>
            textFields({
              client_id: clientId,
              countries: countries ?? `as the stage (${dependencies.stageCountries?.join(', ') ?? 'all'})`,
              senders: senders ?? 'any',
            }),
        };
      },
    );
  clients
    .command('webhook-url')
    .description("sets the URL of the client's webhooks, or removes it")
    .argument('<client>', 'id or name')
    .argument('[url]', 'leave it out to remove the URL')
    .run(async ({ dependencies, actor }, named: string, url: string | undefined) => {
      const clientId = await clientIdOf(dependencies, named);
      if (url !== undefined) assertWebhookUrl(dependencies, url);
      await changeWebhookUrl(dependencies, actor, clientId, url ?? null);
      const told = url === undefined ? 'has no webhook URL now' : `has its webhooks sent to ${url}`;
      return done({ client_id: clientId, webhook_url: url ?? null }, `${clientId} ${told}.`);
    });
  addKeyCommands(program);
}

function addKeyCommands(program: AdminCommand): void {
  const keys = program.command('api-keys').description('keys for clients that cannot request tokens');
  keys
    .command('create')
    .description('creates an API key, shown once')
    .argument('<client>', 'id or name')
    .option('--test', ofTestData, false)
    .run(async ({ dependencies, actor }, named: string, { test }: TestOption) => {
      const clientId = ofMode(await clientIdOf(dependencies, named), test);
      const created = await createApiKey(dependencies, actor, clientId);
      const { key_id, api_key } = created;
      return { json: created, text: () => [textFields({ key_id, api_key }), shownOnce] };
    });
  keys
    .command('list')
    .description("lists a client's API keys, without the keys themselves")
    .argument('<client>', 'id or name')
    .option('--test', ofTestData, false)
    .run(async ({ dependencies }, named: string, { test }: TestOption) => {
      const clientId = ofMode(await clientIdOf(dependencies, named), test);
      const found = await listApiKeys(dependencies, clientId);
      return { json: { api_keys: found }, text: () => keyTable(found) };
    });
  keys
    .command('revoke')
    .description('revokes an API key, within 60 seconds')
    .argument('<client>', 'id or name')
    .argument('<key-id>', 'key_…, from the list')
    .option('--test', ofTestData, false)
    .run(async ({ dependencies, actor }, named: string, keyId: string, { test }: TestOption) => {
      const clientId = ofMode(await clientIdOf(dependencies, named), test);
      await revokeApiKey(dependencies, actor, clientId, keyId);
      return done({ client_id: clientId, key_id: keyId, revoked: true }, `${keyId} is revoked.`);
    });
}

function stateOf({ disabled, invalid }: ClientView): string {
  if (invalid.length > 0) return `malformed: ${invalid.join(', ')}`;
  return disabled ? 'disabled' : 'enabled';
}

function clientTable(clients: readonly ClientView[]): string {
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

function keyTable(keys: readonly ApiKeyView[]): string {
  return textTable(
    keys,
    ['key_id', ['created', 'created_at'], ['revoked', 'revoked_at']],
    'It has no API keys.',
  );
}

/** Null means "any". */
function listIn(text: string | undefined): readonly string[] | null | undefined {
  return text === 'any' ? null : text?.split(',').map((item) => item.trim());
}

function done(json: unknown, line: string): CommandResult {
  return { json, text: () => line };
}
