/** The HTTP client of the tests: requests to the deployed gateway, and clients that only one test uses. */
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamoClientAdmin } from '../../../bin/demo-clients.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { createApiKey, createClient, rotateClientSecret } from '../../../shared/client/client-admin.ts';
import { clientIdIn } from '../../../shared/contract/mode.ts';
import type { Caps, Limits } from '../../../shared/contract/rate-limits-and-caps.ts';
import { documentClient, eventually, gateway } from '../gateway/gateway.ts';
import { putAllLimits, unreachable } from '../rate-limit/put-limits.ts';
import { admitted } from './admitted.ts';
import { type ApiDocument, apiDocument } from './api-document.ts';
import { type CallResponse, type HttpCall, httpCall } from './http-call.ts';

interface CallOptions extends HttpCall {
  /** An access token or an API key. */
  readonly credential?: string;
  /** The `Idempotency-Key`. */
  readonly key?: string | undefined;
}

let document: ApiDocument | undefined;

export function call(
  method: string,
  path: string,
  { body, headers, credential, key }: CallOptions = {},
): Promise<CallResponse> {
  document ??= apiDocument(openApiDocument());
  const target = { baseUrl: gateway().base_url, document };
  const ask = () =>
    httpCall(target, method, path, {
      body,
      headers: {
        ...(credential === undefined ? {} : { Authorization: `Bearer ${credential}` }),
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
        ...headers,
      },
    });
  const namesClient = credential !== undefined || headers?.Authorization !== undefined;
  return namesClient ? ask() : admitted(ask, (response) => response.headers.get('retry-after'));
}

export function requestToken(clientId: string, clientSecret: string): Promise<CallResponse> {
  return call('POST', '/api/v1/auth/token', {
    body: { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' },
  });
}

export async function tokenOf(clientId: string, clientSecret: string): Promise<string> {
  const { body, text } = await requestToken(clientId, clientSecret);
  if (typeof body.access_token !== 'string') throw new Error(`no token: ${text}`);
  return body.access_token;
}

let ofAdmin: Promise<string> | undefined;

/** An access token of the administrator, asked for once in a file of tests: it holds for an hour. */
export function adminToken(): Promise<string> {
  const { client_id, client_secret } = gateway().admin;
  ofAdmin ??= tokenOf(client_id, client_secret);
  return ofAdmin;
}

/** The fields of a status response that tests read. */
interface StatusBody {
  readonly status: string;
  readonly history: readonly { readonly status: string; readonly at: string }[];
  readonly [field: string]: unknown;
}

export interface TestClient {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** Requests with the client's API key. */
  call(method: string, path: string, options?: Omit<CallOptions, 'credential'>): Promise<CallResponse>;
  post(path: string, body: unknown, key?: string): Promise<CallResponse>;
  /** The id of a new message. @throws Error for any response but 202 */
  send(fields: Readonly<Record<string, unknown>>, path?: string): Promise<string>;
  status(messageId: unknown): Promise<StatusBody>;
  /** Waits until the message has this status. */
  statusOnce(messageId: unknown, wanted: string): Promise<StatusBody>;
}

interface ClientWishes {
  readonly name?: string;
  readonly webhookUrl?: string | undefined;
  readonly countries?: readonly string[];
  readonly senders?: readonly string[];
  /** `default`: the limits of every client. */
  readonly limits?: Limits | 'default';
  /** Rows of `limit-overrides` with caps, as administrators write them. */
  readonly caps?: Caps;
}

export function clientAdmin() {
  return dynamoClientAdmin(documentClient(), gateway().tables);
}

export async function newClient({
  name = 'Test',
  webhookUrl,
  countries,
  senders,
  limits = unreachable,
  caps = {},
}: ClientWishes = {}): Promise<TestClient> {
  const dynamo = documentClient();
  const { base_url, tables } = gateway();
  const admin = dynamoClientAdmin(dynamo, tables);
  const { client, clientSecret, webhookSecret } = await createClient(
    admin,
    { name, scopes: ['messages'], ...(webhookUrl === undefined ? {} : { webhookUrl }) },
    new Date(),
  );
  const clientId = client.client_id;
  // All rows are written before the first request: functions remember what they read.
  if (limits !== 'default') {
    await putAllLimits(dynamo, tables.limit_overrides ?? '', clientId, limits);
  }
  for (const [endpoint, windows] of Object.entries(caps)) {
    const Item = { client_id: clientId, endpoint, ...windows };
    await dynamo.send(new PutCommand({ TableName: tables.limit_overrides, Item }));
  }
  for (const [list, values] of Object.entries({ countries, senders })) {
    if (values === undefined) continue;
    await dynamo.send(
      new UpdateCommand({
        TableName: tables.clients,
        Key: { client_id: clientId },
        UpdateExpression: 'SET #list = :values',
        ExpressionAttributeNames: { '#list': list },
        ExpressionAttributeValues: { ':values': values },
      }),
    );
  }
  const { apiKey } = await createApiKey(admin, clientId, new Date());
  dynamo.destroy();
  return withKey({ baseUrl: base_url, clientId, clientSecret, webhookSecret, apiKey });
}

/** The same client with test credentials: its data is apart, under an id of its own. */
export async function withTestKey(client: TestClient): Promise<TestClient> {
  const admin = clientAdmin();
  const clientId = clientIdIn('test', client.clientId);
  const { apiKey } = await createApiKey(admin, clientId, new Date());
  const clientSecret = await rotateClientSecret(admin, clientId, new Date());
  return withKey({ ...client, clientId, clientSecret, apiKey });
}

/** The same client with an access token in place of its API key. */
export async function withToken(client: TestClient): Promise<TestClient> {
  return withKey({ ...client, apiKey: await tokenOf(client.clientId, client.clientSecret) });
}

type Credentials = Pick<TestClient, 'baseUrl' | 'clientId' | 'clientSecret' | 'webhookSecret' | 'apiKey'>;

function withKey(credentials: Credentials): TestClient {
  const callAsClient: TestClient['call'] = (method, path, options) =>
    call(method, path, { ...options, credential: credentials.apiKey });

  async function status(messageId: unknown): Promise<StatusBody> {
    const response = await callAsClient('GET', `/api/v1/sms/status/${String(messageId)}`);
    if (response.status !== 200) throw new Error(`no status: ${response.status} ${response.text}`);
    return response.body as StatusBody;
  }

  return {
    ...credentials,
    call: callAsClient,
    post: (path, body, key) => callAsClient('POST', path, { body, key }),
    status,
    async send(fields, path = '/api/v1/sms/send') {
      const body = { to: '+447700900123', message: 'Hello', ...fields };
      const response = await callAsClient('POST', path, { body });
      if (response.status !== 202) throw new Error(`not sent: ${response.status} ${response.text}`);
      return String(response.body.message_id);
    },
    statusOnce: (messageId, wanted) =>
      eventually(
        async () => {
          const seen = await status(messageId);
          return seen.status === wanted ? seen : undefined;
        },
        { everyMilliseconds: 250 },
      ),
  };
}
