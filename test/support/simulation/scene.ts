/** A stage with clients, numbers of people and an administrator on it, as a run begins. */
import { isDeepStrictEqual } from 'node:util';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoClientAdmin } from '../../../bin/demo-clients.ts';
import { createApiKey, createClient } from '../../../shared/client/client-admin.ts';
import { clientIdIn, nameIn } from '../../../shared/contract/mode.ts';
import { policies } from '../../../shared/contract/rate-limits-and-caps.ts';
import { directDatabase } from './direct-database.ts';
import type { ApiRequest } from './outside/api.ts';
import { type EndpointKind, endpointKinds, endpointUrl } from './outside/endpoints.ts';
import type { Asked, Edited, Must } from './outside/record.ts';
import { oneOf, type Random, wholeBetween } from './random.ts';
import type { Stage } from './stage.ts';

export interface SimulatedClient {
  readonly name: string;
  readonly clientId: string;
  clientSecret: string;
  /** The one with which webhooks are signed from the start. */
  readonly webhookSecret: string;
  readonly apiKey: string;
  readonly webhookUrl: string;
  /** Ids that the client knows from responses. */
  readonly messages: string[];
  readonly scheduled: string[];
  readonly otps: { readonly otpId: string; readonly to: string }[];
  readonly endpoints: string[];
}

/** Tables of people, with the name of the sort key. */
const sortKeys = { LimitOverrides: 'endpoint', Senders: 'destination', OtpHolds: 'country' } as const;
type EditedTable = keyof typeof sortKeys;

export interface Scene {
  readonly stage: Stage;
  /** How far clocks may be from the true time. */
  readonly skewMaxMs: number;
  readonly clients: readonly [SimulatedClient, ...SimulatedClient[]];
  /** The test data of each of them, in the same order. */
  readonly testers: readonly SimulatedClient[];
  /** The test data of another client, which uses no live key. */
  readonly onlyTester: SimulatedClient;
  /** Writes a row as a person does in the console. */
  edit(table: EditedTable, row: Readonly<Record<string, unknown>>, endsAtMs?: number): Promise<void>;
  /** Stores a message that nobody can read, as a person left it in the console, and returns its id. */
  addUnreadable(id: string): Promise<string>;
  /** Removes a row as a person does in the console. */
  remove(table: EditedTable, key: Readonly<Record<string, unknown>>): Promise<void>;
  /** Reads what the gateway has written into a row about its values. */
  readFeedback(table: 'Senders', key: Readonly<Record<string, string>>): void;
  /** The numbers of a few people, so that several things happen to one of them. */
  person(random: Random): string;
  /** One of them whose messages the carrier delivers at once. */
  deliveredPerson(random: Random): string;
  /** One of them whose messages the carrier throttles for minutes. */
  throttledPerson(random: Random): string;
  /** One of them whose messages the carrier refuses, so that each has one event. */
  refusedPerson(random: Random): string;
  /** One of them about whose messages the carrier reports nothing, so that they expire. */
  silentPerson(random: Random): string;
  /** Asks, and asks again under the same key while it does not know the outcome, as a careful caller does. */
  ask(client: SimulatedClient, request: Omit<ApiRequest, 'clientId' | 'credential'>): Promise<Asked>;
  /** Changes a client's limits by the admin API. */
  changeLimits(clientId: string, change: Readonly<Record<string, unknown>>): Promise<void>;
  /** Allows one-time passwords of a client to a country by the admin API. */
  allowPasswords(clientId: string, country: string, always: boolean): Promise<void>;
  askAsAdministrator(method: string, path: string, body?: unknown, must?: Must): Promise<Asked>;
}

/** Ids of messages that nobody can read begin so. */
export const unreadableId = 'msg_000000000000BYHAND';
const people = 27;
/** The limits of the reads with which a run is judged. */
const plenty = { per_minute: 20_000, per_hour: 1_000_000, per_day: 10_000_000 };
/** A message whose validity is the default of days could not end before the run is judged. */
function endsInTheRun({ route, body }: Pick<ApiRequest, 'route' | 'body'>): unknown {
  const isSend = route === 'sendSms' || route === 'sendBulkSms' || route === 'sendWhatsApp';
  return isSend && typeof body === 'object' ? { validity_period: 1800, ...body } : body;
}

const readPolicies = ['sms_status', 'messages', 'account', 'webhooks', 'suppressions', 'admin'] as const;
const repeatsMax = 3;

const personNumbered = (index: number): string => `+4477009${String(index).padStart(5, '0')}`;

interface SceneOptions {
  readonly random: Random;
  readonly clientCount: number;
  readonly skewMaxMs: number;
  /** Rows that exist from the start: `{ endpoint, per_minute, … }` of each client. */
  readonly limits: readonly Readonly<Record<string, unknown>>[];
  readonly senders: readonly Readonly<Record<string, unknown>>[];
}

export async function sceneOn(
  stage: Stage,
  { random, clientCount, skewMaxMs, limits, senders }: SceneOptions,
): Promise<Scene> {
  const { time, database, record } = stage;
  const db = directDatabase(database);
  const before = new Date(time.now() - 3_600_000);
  const bytes = (size: number): Buffer =>
    Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));
  const tables = { clients: 'Clients', api_keys: 'ApiKeys', client_secrets: 'ClientSecrets' };
  const creating = { ...dynamoClientAdmin(db, tables), random: bytes };

  async function client(name: string, scope: 'messages' | 'admin'): Promise<SimulatedClient> {
    const kind: EndpointKind = oneOf(random, endpointKinds);
    const wanted = { name, scopes: [scope], webhookUrl: endpointUrl(kind, name) } as const;
    const { client: created, clientSecret, webhookSecret } = await createClient(creating, wanted, before);
    const apiKey = scope === 'admin' ? '' : (await createApiKey(creating, created.client_id, before)).apiKey;
    return {
      ...{
        name,
        clientId: created.client_id,
        clientSecret,
        webhookSecret,
        apiKey,
        webhookUrl: wanted.webhookUrl,
      },
      ...{ messages: [], scheduled: [], otps: [], endpoints: [] },
    };
  }

  let hasBegun = false;
  const first = await client('acme', 'messages');
  const others = [];
  for (let i = 1; i < clientCount; i += 1) others.push(await client(`client-${i}`, 'messages'));
  const clients = [first, ...others] as const;
  const administrator = await client('administrator', 'admin');
  const testers = await Promise.all(clients.map(testDataOf));
  const onlyTester = await testDataOf(await client('tester', 'messages'));

  async function testDataOf(of: SimulatedClient): Promise<SimulatedClient> {
    const clientId = clientIdIn('test', of.clientId);
    const { apiKey } = await createApiKey(creating, clientId, before);
    const name = nameIn('test', of.name);
    return { ...of, name, clientId, apiKey, messages: [], scheduled: [], otps: [], endpoints: [] };
  }

  async function edit(
    table: EditedTable,
    row: Readonly<Record<string, unknown>>,
    endsAtMs?: number,
  ): Promise<void> {
    await db.send(new PutCommand({ TableName: table, Item: { ...row } }));
    const key = { client_id: row.client_id, [sortKeys[table]]: row[sortKeys[table]] };
    // Rows that existed at the start are in force from the start.
    record.edited.push({ atMs: hasBegun ? time.now() : before.getTime(), table, key, row });
    if (endsAtMs === undefined) return;
    const { note } = row;
    time.at(endsAtMs, () => {
      const last = record.edited.findLast((one) => one.table === table && isDeepStrictEqual(one.key, key));
      if (last?.row === row) record.edited.push({ atMs: endsAtMs, table, key, row: { ...key, note } });
    });
  }

  async function changeByApi(
    table: EditedTable,
    key: Readonly<Record<string, unknown>>,
    change: Readonly<Record<string, unknown>>,
    ask: () => Promise<Asked>,
  ): Promise<void> {
    const last = () =>
      record.edited.findLast((one) => one.table === table && isDeepStrictEqual(one.key, key));
    const note = (uncertain: boolean): Edited => {
      const noted = { atMs: time.now(), table, key, row: { ...last()?.row, ...key, ...change }, uncertain };
      record.edited.push(noted);
      return noted;
    };
    const asked = note(true);
    const { status } = await ask();
    note(status !== 200 || last() !== asked);
  }

  for (const policy of readPolicies)
    await edit('LimitOverrides', { client_id: '*', endpoint: policies[policy].endpoint, ...plenty });
  for (const row of limits)
    for (const { clientId } of clients) await edit('LimitOverrides', { client_id: clientId, ...row });
  for (const row of senders) await edit('Senders', row);

  hasBegun = true;

  let token: { readonly text: string; readonly untilMs: number } | undefined;
  async function tokenOfAdministrator(): Promise<string | undefined> {
    if (token !== undefined && time.now() < token.untilMs) return token.text;
    const asked = await stage.ask({
      clientId: administrator.clientId,
      credential: undefined,
      route: 'issueToken',
      body: {
        grant_type: 'client_credentials',
        client_id: administrator.clientId,
        client_secret: administrator.clientSecret,
      },
    });
    if (asked.status !== 200) return undefined;
    token = { text: String(asked.answer.access_token), untilMs: time.now() + 3_000_000 };
    return token.text;
  }

  async function askAsAdministrator(
    method: string,
    path: string,
    body?: unknown,
    must?: Must,
  ): Promise<Asked> {
    const credential = await tokenOfAdministrator();
    return stage.ask({
      clientId: administrator.clientId,
      credential,
      route: 'adminApi',
      method,
      path: { proxy: path },
      body,
      must,
    });
  }

  return {
    stage,
    skewMaxMs,
    clients,
    testers,
    onlyTester,
    edit,
    askAsAdministrator,

    async addUnreadable(id) {
      const message_id = `${unreadableId}${id.padStart(8, '0')}`;
      const Item = { message_id, client_id: 'by-hand', status: 'sent', expires_at: '2026-11-23' };
      await db.send(new PutCommand({ TableName: 'Messages', Item }));
      return message_id;
    },

    async remove(table, key) {
      const removing = new DeleteCommand({ TableName: table, Key: { ...key }, ReturnValues: 'ALL_OLD' });
      const { Attributes } = await db.send(removing);
      // Another step has removed it meanwhile.
      if (Attributes === undefined) return;
      record.edited.push({ atMs: time.now(), table, key, row: undefined });
    },

    readFeedback(table, key) {
      const row = database
        .rows(table)
        .find((item) =>
          Object.entries(key).every(([name, value]) => Reflect.get(item[name] ?? {}, 'S') === value),
        );
      const status: string | undefined = Reflect.get(row?.status ?? {}, 'S');
      record.feedback.push({ atMs: time.now(), table, key, status });
    },

    changeLimits(clientId, change) {
      const key = { client_id: clientId, endpoint: change.endpoint };
      return changeByApi('LimitOverrides', key, change, () =>
        askAsAdministrator('PATCH', `clients/${clientId}/limits`, change),
      );
    },
    allowPasswords(clientId, country, always) {
      const path = `clients/${clientId}/otp-holds/${country}/allow`;
      const row = { state: 'allowed', always };
      return changeByApi('OtpHolds', { client_id: clientId, country }, row, () =>
        askAsAdministrator('POST', path, { always }),
      );
    },
    person: (of) => personNumbered(wholeBetween(of, 0, people - 1)),
    deliveredPerson: (of) => personNumbered(oneOf(of, [0, 1, 2, 10, 11, 12])),
    throttledPerson: (of) => personNumbered(oneOf(of, [9, 19])),
    refusedPerson: (of) => personNumbered(oneOf(of, [7, 17])),
    silentPerson: (of) => personNumbered(oneOf(of, [5, 15])),

    async ask({ clientId, apiKey }, request) {
      const body = endsInTheRun(request);
      const known = { ...request, body, clientId, credential: apiKey, hasValidCredential: true };
      let asked = await stage.ask(known);
      for (let repeats = 0; repeats < repeatsMax && request.key !== undefined; repeats += 1) {
        const { status = 0, lost = false } = asked;
        if (!lost && status < 500 && status !== 409) break;
        await time.sleep(500 * 4 ** repeats);
        asked = await stage.ask(known);
      }
      return asked;
    },
  };
}
