import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { stageVariables } from '../../../lib/stages/stage-variables.ts';
import { stages } from '../../../lib/stages/stages.ts';
import { createApiKey, createClient } from '../../../shared/client/client-admin.ts';
import type { HttpFunction } from '../../../shared/http/http-function.ts';
import { publicJwk, publishKey } from '../../../shared/token/verify-token.dynamo.ts';
import { createTables } from '../../support/engine/tables.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { accessTo, jsonType, send } from '../../support/gateway/access.ts';
import { gateway } from '../../support/gateway/gateway.ts';
import { type CountingProxy, startCountingProxy } from '../../support/http/counting-proxy.ts';

/** The calls of a warm send: the rate check, and the message. */
const twoCalls = ['UpdateItem', 'PutItem'];

describe('the send-sms function, warm', () => {
  let tables: TestTables;
  let proxy: CountingProxy;
  let handler: HttpFunction;
  let folder: string;
  const credentials: Record<'token' | 'apiKey', string> = { token: '', apiKey: '' };

  beforeAll(async () => {
    tables = await createTables();
    proxy = await startCountingProxy(gateway().aws.endpoint);
    const { admin, newProcess } = accessTo(tables, new Date());
    const { client } = await createClient(admin, { name: 'Test', scopes: ['messages'] }, new Date());
    credentials.apiKey = (await createApiKey(admin, client.client_id, new Date())).apiKey;
    const variables = { ...stageVariables(stages.local), TOKEN_ISSUER: gateway().base_url };
    const kid = randomBytes(32).toString('base64url');
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    await publishKey(newProcess(), kid, publicJwk.parse(await exportJWK(publicKey)));
    credentials.token = await new SignJWT({ client_id: client.client_id, scope: 'messages' })
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' })
      .setIssuer(variables.TOKEN_ISSUER)
      .setAudience(variables.TOKEN_AUDIENCE ?? '')
      .setSubject(client.client_id)
      .setIssuedAt()
      .setExpirationTime('1h')
      .setJti(randomUUID())
      .sign(privateKey);
    for (const [name, table] of Object.entries(tables.names)) {
      process.env[`${name.toUpperCase()}_TABLE`] = table;
    }
    folder = await mkdtemp(join(tmpdir(), 'messaging-gateway-prices-'));
    const PRICES_FILE = join(folder, 'prices.json');
    await writeFile(PRICES_FILE, JSON.stringify(stages.local.prices));
    Object.assign(process.env, variables, {
      AWS_ENDPOINT_URL: proxy.endpoint,
      PRICES_FILE,
    });
    // The deployed file itself, which reads its environment when it is loaded.
    ({ handler } = await import('../../../functions/send-sms.ts'));
  });
  afterAll(async () => {
    await proxy.close();
    await rm(folder, { recursive: true, force: true });
    await tables.drop();
  });

  async function callsOfOneSend(
    credential: string,
    headers: Record<string, string> = {},
  ): Promise<readonly string[]> {
    proxy.calls.length = 0;
    const { status } = await send(handler, {
      headers: { ...jsonType, authorization: `Bearer ${credential}`, ...headers },
      body: JSON.stringify({ to: '+447700900123', message: 'Hello', webhook_url: 'https://shop.test/hook' }),
    });
    expect(status).toBe(202);
    return [...proxy.calls];
  }

  /**
   * What the function remembers ends after 45 s, and a call that takes too long is repeated. The send after such a one is
   * of a warm function in any case.
   */
  async function callsOfWarmSend(
    credential: string,
    headers: Record<string, string> = {},
  ): Promise<readonly string[]> {
    const calls = await callsOfOneSend(credential, headers);
    return calls.length > twoCalls.length ? callsOfOneSend(credential, headers) : calls;
  }

  describe.each(['token', 'apiKey'] as const)('called with a %s', (kind) => {
    beforeEach(async () => {
      await callsOfOneSend(credentials[kind]);
    });

    it('makes exactly two AWS calls', async () => {
      for (let times = 0; times < 5; times += 1) {
        expect(await callsOfWarmSend(credentials[kind])).toEqual(twoCalls);
      }
    });

    it('makes no more for an Idempotency-Key, nor for its repeat', async () => {
      const headers = { 'Idempotency-Key': randomUUID() };
      expect(await callsOfWarmSend(credentials[kind], headers)).toEqual(twoCalls);
      expect(await callsOfWarmSend(credentials[kind], headers)).toEqual(twoCalls);
    });
  });
});
