/** Makes the samples of the API reference ready to run: with a client, and ids that exist in place of the examples. */
import type { LanguageName } from '../../../lib/build/docs/samples/samples.ts';
import { eventually } from '../gateway/gateway.ts';
import { newClient, type TestClient, tokenOf, withTestKey } from '../http/client.ts';
import { shownCode } from './shown-code.ts';

interface RunnableSample {
  readonly operationId: string;
  readonly source: string;
  readonly environment: Readonly<Record<string, string>>;
}

const hourMs = 3_600_000;

/** An endpoint that gets nothing but a test event, at a port of this machine where nothing listens. */
async function newEndpoint(client: TestClient): Promise<string> {
  const settings = { url: 'http://127.0.0.1:9/', events: ['whatsapp.read'] };
  const { body } = await client.post('/api/v1/webhook-endpoints', settings);
  return String(body.endpoint_id);
}

/** By the prefix of an id: makes what the sample of an operation names. */
const makers: Readonly<Record<string, (client: TestClient, operationId: string) => Promise<string>>> = {
  msg: (client, operationId) =>
    client.send(
      operationId === 'cancelMessage' ? { scheduled_at: new Date(Date.now() + hourMs).toISOString() } : {},
    ),
  otp: async (client) => {
    const { body } = await client.post('/api/v1/otp/send', { to: '+447700900177' });
    return String(body.otp_id);
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

/** The samples of one language, in the order of the page. */
export async function runnableSamples(baseUrl: string, language: LanguageName): Promise<RunnableSample[]> {
  const shown = (await shownCode(baseUrl, 'reference')).filter((code) => code.language === language);
  const sender = await newClient({ name: `Samples for ${language}` });
  const receiver = await newClient({ name: `Webhook samples for ${language}` });
  const tester = await withTestKey(sender);
  const environments = new Map([
    [sender, await environmentOf(sender)],
    [receiver, await environmentOf(receiver)],
    [tester, await environmentOf(tester)],
  ]);
  return Promise.all(
    shown.map(async ({ operationId = '', source }) => {
      // Its events would be posted to someone else's server: a client that sends nothing has none. Nor does it miss
      // what it sends to a recipient that another sample suppresses.
      const isApart = source.includes('https://example.com') || operationId.endsWith('Suppression');
      const client = operationId === 'listTestOutbox' ? tester : isApart ? receiver : sender;
      if (operationId === 'deleteSuppression') await client.call('PUT', '/api/v1/suppressions/+447700900123');
      return {
        operationId,
        source: await withRealIds(source, client, operationId),
        environment: environments.get(client) ?? {},
      };
    }),
  );
}

async function environmentOf({
  baseUrl,
  clientId,
  clientSecret,
}: TestClient): Promise<Record<string, string>> {
  return {
    BASE_URL: baseUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    TOKEN: await tokenOf(clientId, clientSecret),
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
