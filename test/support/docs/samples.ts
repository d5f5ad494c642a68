/** Makes the samples of the API reference ready to run: with a client of their own, and ids that exist in place of the examples. */
import type { LanguageName } from '../../../lib/build/docs/samples/samples.ts';
import { batchId, messageId, otpId } from '../../../lib/build/openapi/operations/examples.ts';
import type { OperationName } from '../../../lib/build/openapi/operations.ts';
import { newClient, type TestClient, tokenOf } from '../http/client.ts';
import { shownCode } from './shown-code.ts';

export interface RunnableSample {
  readonly operationId: string;
  readonly source: string;
  readonly environment: Readonly<Record<string, string>>;
}

const hourMs = 3_600_000;

/** What an operation's example names, made for this run. */
const realIds: Partial<Record<OperationName, (client: TestClient) => Promise<Record<string, string>>>> = {
  getMessageStatus: async (client) => ({ [messageId]: await client.send({}) }),
  cancelMessage: async (client) => ({
    [messageId]: await client.send({ scheduled_at: new Date(Date.now() + hourMs).toISOString() }),
  }),
  verifyOtp: async (client) => {
    const { body } = await client.post('/api/v1/otp/send', { to: '+447700900177' });
    return { [otpId]: String(body.otp_id) };
  },
};

/** The samples of one language, in the order of the page. */
export async function runnableSamples(baseUrl: string, language: LanguageName): Promise<RunnableSample[]> {
  const shown = (await shownCode(baseUrl, 'reference')).filter((code) => code.language === language);
  const client = await newClient({ name: `Samples for ${language}` });
  // Its sample names a URL of someone else, to which nothing may be sent.
  const changedClient = await newClient({ name: `Changed by samples for ${language}` });
  const environments = await Promise.all([client, changedClient].map(environmentOf));
  return Promise.all(
    shown.map(async ({ operationId = '', source }) => {
      const ids = await realIds[operationId as OperationName]?.(client);
      const environment = environments[operationId === 'updateAccount' ? 1 : 0] ?? {};
      return { operationId, source: withIds(source, ids ?? {}), environment };
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

function withIds(source: string, ids: Readonly<Record<string, string>>): string {
  const replaced = Object.entries(ids).reduce((text, [example, id]) => text.replaceAll(example, id), source);
  const left = [messageId, batchId, otpId].find((example) => replaced.includes(example));
  if (left !== undefined) throw new Error(`${left} is an example: name a real id for it in realIds`);
  return replaced;
}
