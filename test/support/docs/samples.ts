/** Sends the request of each operation that the API document has as its first example, with ids that exist. */
import { type OpenApiOperation, openApiDocument } from '../../../lib/build/openapi/document.ts';
import type { JsonSchema } from '../../../lib/build/openapi/named-schemas.ts';
import { eventually } from '../gateway/gateway.ts';
import { call, newClient, type TestClient, tokenOf, withTestKey } from '../http/client.ts';

interface Sample {
  readonly operationId: string;
  readonly method: string;
  /** With its parameters and its query. */
  readonly path: string;
  readonly body?: unknown;
}

const hourMs = 3_600_000;

/** An endpoint that gets nothing but a test event, at a port of this machine where nothing listens. */
async function newEndpoint(client: TestClient): Promise<string> {
  const settings = { url: 'http://127.0.0.1:9/', events: ['whatsapp.read'] };
  const { body } = await client.post('/api/v1/webhook-endpoints', settings);
  return String(body.endpoint_id);
}

/** By the prefix of an id: makes what the example of an operation names. */
const makers: Readonly<Record<string, (client: TestClient, operationId: string) => Promise<string>>> = {
  msg: (client, operationId) =>
    client.send(
      operationId === 'cancelMessage' ? { scheduled_at: new Date(Date.now() + hourMs).toISOString() } : {},
    ),
  otp: async (client) => {
    const { body } = await client.post('/api/v1/otp/send', { to: '+447700900177' });
    return String(body.otp_id);
  },
  bat: async (client) => {
    const { body } = await client.post('/api/v1/sms/bulk', { message: 'Hi', recipients: ['+447700900123'] });
    return String(body.batch_id);
  },
  whe: newEndpoint,
  whd: async (client) => {
    const { body } = await client.post(`/api/v1/webhook-endpoints/${await newEndpoint(client)}/test`, {});
    const deliveryId = String(body.delivery_id);
    return await eventually(async () => {
      const { status } = await client.call('GET', `/api/v1/webhook-deliveries/${deliveryId}`);
      return status === 200 ? deliveryId : undefined;
    });
  },
  whr: async (client) => {
    const since = new Date(Date.now() - hourMs).toISOString();
    const request = { endpoint_id: await newEndpoint(client), since };
    const { body } = await client.post('/api/v1/webhook-deliveries/resend', request);
    return String(body.resend_id);
  },
};

/** Sends each operation's example with an access token, and returns the status of its response. */
export async function statusesOfSamples(): Promise<Record<string, number>> {
  const sender = await newClient({ name: 'Samples' });
  const receiver = await newClient({ name: 'Webhook samples' });
  const tester = await withTestKey(sender);
  const tokens = new Map<TestClient, string>();
  for (const client of [sender, receiver])
    tokens.set(client, await tokenOf(client.clientId, client.clientSecret));
  const operations = Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => sampleOf(method.toUpperCase(), path, operation)),
  );
  const statuses = await Promise.all(
    operations.map(async (sample) => {
      const { operationId } = sample;
      const text = JSON.stringify(sample);
      // Its events would be posted to someone else's server: a client that sends nothing has none. Nor does it miss
      // what it sends to a recipient that another sample suppresses.
      const isApart = text.includes('https://example.com') || operationId.endsWith('Suppression');
      const client = operationId === 'listTestOutbox' ? tester : isApart ? receiver : sender;
      if (operationId === 'deleteSuppression') await client.call('PUT', '/api/v1/suppressions/+447700900123');
      const { method, path, body } = JSON.parse(await withRealIds(text, client, operationId)) as Sample;
      const secret = { client_id: client.clientId, client_secret: client.clientSecret };
      const own = operationId === 'issueToken' ? { ...(body as object), ...secret } : body;
      const credential = tokens.get(client) ?? client.apiKey;
      const { status } = await call(method, path, { body: own, credential });
      return [operationId, status] as const;
    }),
  );
  return Object.fromEntries(statuses);
}

/** @throws Error for an operation without an example of its body or of a parameter that it requires */
function sampleOf(method: string, path: string, operation: OpenApiOperation): Sample {
  const { operationId, parameters = [], requestBody } = operation;
  const exampleOf = ({ name, example }: JsonSchema): string => {
    if (example === undefined) throw new Error(`${operationId} has no example of ${String(name)}`);
    return encodeURIComponent(String(example));
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    exampleOf(parameters.find((one) => one.in === 'path' && one.name === name) ?? { name }),
  );
  const query = parameters
    .filter((one) => one.in === 'query' && (one.required === true || one.example !== undefined))
    .map((one) => `${String(one.name)}=${exampleOf(one)}`);
  const [example] = Object.values(requestBody?.content['application/json']?.examples ?? {});
  if (requestBody !== undefined && example === undefined)
    throw new Error(`${operationId} has no example of its body`);
  return {
    operationId,
    method,
    path: `${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    body: example?.value,
  };
}

/** The text with ids of what the client has in place of the examples. */
async function withRealIds(source: string, client: TestClient, operationId: string): Promise<string> {
  const [example, prefix = ''] = /\b([a-z]{3})_[0-9A-Z]{26}\b/.exec(source) ?? [];
  if (example === undefined) return source;
  const make = makers[prefix];
  if (make === undefined) throw new Error(`${operationId} names ${example}: say in makers how to make one`);
  return source.replaceAll(example, await make(client, operationId));
}
