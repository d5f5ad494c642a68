/** A client of the deployed gateway for one test alone: what it does counts on nobody else. */
import { dynamoClientAdmin } from '../../../shared/client/client-admin.dynamo.ts';
import { type ClientAdminDependencies, createClient } from '../../../shared/client/client-admin.ts';
import { type Limits, type PolicyName, policies } from '../../../shared/contract/routes.ts';
import { dynamoOverrideEditor } from '../../../shared/rate-limit/overrides.dynamo.ts';
import { documentClient, eventually, gateway } from '../gateway/gateway.ts';
import { type Answer, httpCall } from './http-call.ts';

/** The credentials' access token. */
export async function tokenOf(clientId: string, clientSecret: string): Promise<Answer> {
  return httpCall('POST', '/api/v1/auth/token', {
    body: { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' },
  });
}

/** The part of a status answer that tests look at. */
interface StatusBody {
  readonly status: string;
  readonly history: readonly { readonly status: string; readonly at: string }[];
  readonly [field: string]: unknown;
}

export interface TestClient {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhookSecret: string;
  readonly token: string;
  call(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Sends, and gives the message's id; anything but 202 is an error. */
  send(fields: Readonly<Record<string, unknown>>, path?: string): Promise<string>;
  status(messageId: string): Promise<StatusBody>;
  /** The status once it is the one wanted. */
  statusOnce(messageId: string, wanted: string, withinSeconds?: number): Promise<StatusBody>;
}

export function clientAdmin(): ClientAdminDependencies {
  return dynamoClientAdmin(documentClient(), gateway().tables);
}

const unreachable: Limits = { perMinute: 20_000, perHour: 1_000_000, perDay: 10_000_000 };

/** @param limits - `default` leaves the client with the limits that everybody has */
export async function newClient({
  name = 'Test',
  webhookUrl,
  limits = unreachable,
}: {
  readonly name?: string;
  readonly webhookUrl?: string;
  readonly limits?: Limits | 'default';
} = {}): Promise<TestClient> {
  const { client, clientSecret, webhookSecret } = await createClient(
    clientAdmin(),
    { name, scopes: ['messages'], ...(webhookUrl === undefined ? {} : { webhookUrl }) },
    new Date(),
  );
  const clientId = client.client_id;
  if (limits !== 'default') {
    // Before the first request, so that no function remembers others.
    const overrides = dynamoOverrideEditor(documentClient(), gateway().tables.limit_overrides ?? '');
    const names = Object.keys(policies) as PolicyName[];
    await Promise.all(names.map((policy) => overrides.set(clientId, policy, limits)));
  }
  const issued = await tokenOf(clientId, clientSecret);
  if (issued.status !== 200) throw new Error(`no token: ${issued.status} ${JSON.stringify(issued.body)}`);
  const token = String(issued.body.access_token);
  const asClient = (method: string, path: string, body?: unknown): Promise<Answer> =>
    httpCall(method, path, { body, headers: { Authorization: `Bearer ${token}` } });

  async function status(messageId: string): Promise<StatusBody> {
    const answer = await asClient('GET', `/api/v1/sms/status/${messageId}`);
    if (answer.status !== 200) throw new Error(`no status: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as StatusBody;
  }

  return {
    clientId,
    clientSecret,
    webhookSecret,
    token,
    call: asClient,
    status,
    async send(fields, path = '/api/v1/sms/send') {
      const answer = await asClient('POST', path, { to: '+447700900123', message: 'Hello', ...fields });
      if (answer.status !== 202) throw new Error(`not sent: ${answer.status} ${JSON.stringify(answer.body)}`);
      return String(answer.body.message_id);
    },
    statusOnce: (messageId, wanted, withinSeconds = 60) =>
      eventually(
        async () => {
          const seen = await status(messageId);
          return seen.status === wanted ? seen : undefined;
        },
        { withinSeconds, everyMilliseconds: 250 },
      ),
  };
}
