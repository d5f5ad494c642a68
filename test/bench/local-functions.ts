/** The deployed functions' own bundles, in this process, on Amazon's DynamoDB Local: no network, no gateway, no queue. */
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { bundleFunctions } from '../../lib/build/bundle.ts';
import { newWebhookSecret } from '../../shared/client/client.ts';
import {
  publishKey,
  tokenAlgorithm,
  tokenLifetimeSeconds,
  tokenType,
} from '../../shared/token/verify-token.dynamo.ts';
import { startDynamoDbLocal } from '../support/engine/dynamodb-local.ts';
import { synthesizeTables } from '../support/engine/synthesize-tables.ts';
import { createTables } from '../support/engine/tables.ts';
import { testContext } from '../support/engine/test-context.ts';
import type { TestTables } from '../support/engine/test-tables.ts';
import { putLimits } from '../support/rate-limit/put-limits.ts';
import { functionEnvironment } from './function-environment.ts';

interface LocalFunctions {
  readonly dynamo: DynamoDBDocumentClient;
  readonly config: DynamoDBClientConfig;
  readonly tables: TestTables['names'];
  readonly clientId: string;
  /** The exported handler of a function's bundle. */
  handler<Event, Result>(functionName: string): (event: Event, context?: Context) => Promise<Result>;
  /** Calls an HTTP function as API Gateway does, with a token of the one client. */
  call(functionName: string, request: LocalRequest): Promise<APIGatewayProxyResult>;
  stop(): Promise<void>;
}

interface LocalRequest {
  readonly method?: string;
  readonly path?: string;
  readonly pathParameters?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
}

const context = { getRemainingTimeInMillis: () => 25_000 } as Context;
const clientId = 'client_bench';

/** Functions write their log lines as they do on AWS; here they go nowhere, and the figures to standard error. */
export function silenceLog(): void {
  console.log = (...values: unknown[]) => void process.stderr.write(`${values.join(' ')}\n`);
  process.stdout.write = () => true;
}

export async function startLocalFunctions(): Promise<LocalFunctions> {
  const engine = await startDynamoDbLocal();
  process.env.TABLES_UNDER_TEST = JSON.stringify(synthesizeTables());
  const tables = await createTables(undefined, engine.newClient());
  const { dynamo, names } = tables;
  const variables: Record<string, string> = { ...functionEnvironment };
  for (const [name, table] of Object.entries(names)) variables[`${name.toUpperCase()}_TABLE`] = table;
  Object.assign(process.env, variables, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: String(engine.config.endpoint),
  });

  const token = await makeClient(dynamo, names);
  const load = createRequire(import.meta.url);
  const handler: LocalFunctions['handler'] = (functionName) =>
    load(join(bundleFunctions().folder(functionName), 'index.js')).handler;
  return {
    dynamo,
    config: engine.config,
    tables: names,
    clientId,
    handler,
    call: (functionName, request) =>
      handler<unknown, APIGatewayProxyResult>(functionName)(eventOf(request, token), context),
    stop: () => engine.stop(),
  };
}

/** A client with limits out of reach, and a token that a function verifies with the published key. */
async function makeClient(dynamo: DynamoDBDocumentClient, names: TestTables['names']): Promise<string> {
  const now = new Date();
  await dynamo.send(
    new PutCommand({
      TableName: names.clients,
      Item: {
        client_id: clientId,
        name: 'bench',
        scopes: ['messages'],
        disabled: false,
        secrets: [],
        created_at: now.toISOString(),
      },
    }),
  );
  await dynamo.send(
    new PutCommand({
      TableName: names.client_secrets,
      Item: {
        client_id: clientId,
        webhook_secrets: [{ secret: newWebhookSecret(randomBytes), created_at: now.toISOString() }],
      },
    }),
  );
  const limits = { perMinute: 30_000, perHour: 1_000_000, perDay: 10_000_000 };
  for (const policy of ['sms_send', 'sms_status', 'sms_bulk', 'messages', 'account'] as const) {
    await putLimits(dynamo, names.limit_overrides, clientId, policy, limits);
  }
  const { publicKey, privateKey } = await generateKeyPair(tokenAlgorithm, { extractable: true });
  const { kty, crv, x, y } = await exportJWK(publicKey);
  if (kty !== 'EC' || crv !== 'P-256' || x === undefined || y === undefined)
    throw new Error('not a P-256 key');
  const jwk = { kty: 'EC' as const, crv: 'P-256' as const, x, y };
  const kid = await calculateJwkThumbprint(jwk);
  await publishKey(testContext({ dynamo, names }, { clock: () => now }), kid, jwk);
  const iat = Math.floor(now.getTime() / 1000);
  return new SignJWT({ client_id: clientId, scope: 'messages' })
    .setProtectedHeader({ alg: tokenAlgorithm, typ: tokenType, kid })
    .setIssuer(functionEnvironment.TOKEN_ISSUER)
    .setAudience(functionEnvironment.TOKEN_AUDIENCE)
    .setSubject(clientId)
    .setIssuedAt(iat)
    .setExpirationTime(iat + tokenLifetimeSeconds)
    .setJti(randomBytes(8).toString('hex'))
    .sign(privateKey);
}

/** How many were made: making a random id here would count as time of the function. */
let requests = 0;

function eventOf(
  { method = 'GET', path = '/', pathParameters, query, body }: LocalRequest,
  token: string,
): APIGatewayProxyEvent {
  requests += 1;
  const content = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return {
    httpMethod: method,
    resource: path,
    path,
    headers: { Authorization: `Bearer ${token}`, ...content },
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
    pathParameters: pathParameters ?? null,
    queryStringParameters: query ?? null,
    requestContext: { requestId: `request-${requests}`, identity: { sourceIp: '203.0.113.1' } },
  } as unknown as APIGatewayProxyEvent;
}
