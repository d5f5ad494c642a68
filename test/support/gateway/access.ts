/** A gateway's tables for clients, keys and limits on a real engine, with the parts that let requests in. */
import { randomUUID } from 'node:crypto';
import { CreateKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { dynamoClientAdmin } from '../../../bin/demo-clients.ts';
import type { ClientAdminDependencies } from '../../../shared/client/client-admin.ts';
import {
  type ClientDirectory,
  clientDirectory,
  dynamoApiKeyStore,
  dynamoClientStore,
} from '../../../shared/client/client-store.dynamo.ts';
import { dynamoRowReader } from '../../../shared/edited-table/row-editor.dynamo.ts';
import { authenticateBearer } from '../../../shared/http/authenticate.ts';
import type { HttpDependencies, HttpFunction } from '../../../shared/http/http-function.ts';
import { countersIn } from '../../../shared/limit/counters.dynamo.ts';
import { rateLimiter } from '../../../shared/limit/limiter.ts';
import { overrideReader } from '../../../shared/limit/read-overrides.ts';
import { dynamoSigningKeyStore, type SigningKeyStore } from '../../../shared/token/signing-keys.dynamo.ts';
import { type TokenVerifier, tokenVerifier } from '../../../shared/token/token-verifier.ts';
import type { TestTables } from '../engine/test-tables.ts';

export const issuer = 'https://gateway.test';
export const audience = 'messaging-gateway';

export interface Access {
  readonly admin: ClientAdminDependencies;
  readonly signingKeys: SigningKeyStore;
  /** Parts of a process of its own: it remembers nothing of what another saw. */
  newProcess(): Process;
  now: Date;
}

export interface Process extends HttpDependencies {
  readonly clients: ClientDirectory;
  readonly tokens: TokenVerifier;
  readonly logged: Record<string, unknown>[];
}

export function accessTo({ dynamo, names }: TestTables, at: Date): Access {
  const clients = dynamoClientStore(dynamo, names.clients);
  const apiKeys = dynamoApiKeyStore(dynamo, names.api_keys);
  const signingKeys = dynamoSigningKeyStore(dynamo, names.signing_keys);
  const counters = names.rate_counters;
  const overrides = dynamoRowReader(dynamo, names.limit_overrides);
  const access: Access = {
    admin: dynamoClientAdmin(dynamo, names),
    signingKeys,
    now: at,
    newProcess() {
      const clock = (): Date => access.now;
      const reader = overrideReader(overrides, clock, () => undefined);
      const directory = clientDirectory(clients, apiKeys, clock);
      const tokens = tokenVerifier(signingKeys, { issuer, audience }, clock);
      const logged: Record<string, unknown>[] = [];
      return {
        clients: directory,
        tokens,
        clock,
        newWorkId: randomUUID,
        baseUrl: 'https://gateway.example',
        logged,
        limiter: rateLimiter({
          counters: countersIn(dynamo, counters),
          limitsOf: reader.limitsOf,
        }),
        prepare: reader.prepare,
        authenticateBearer: (scope) => authenticateBearer(directory, tokens, scope),
        writeLog: (level, fields) => logged.push({ level, ...fields }),
      };
    },
  };
  return access;
}

/** A P-256 key of KMS for signatures. */
export async function createSigningKey(kms: KMSClient): Promise<string> {
  const { KeyMetadata } = await kms.send(
    new CreateKeyCommand({ KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }),
  );
  if (KeyMetadata?.KeyId === undefined) throw new Error('KMS made no key');
  return KeyMetadata.KeyId;
}

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly pathParameters?: Record<string, string>;
  readonly body?: string;
  readonly sourceIp?: string;
  readonly remainingMs?: number;
  /** API Gateway takes it from a caller that names one. */
  readonly requestId?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown>;
}

/** Calls a function as API Gateway does. */
export async function send(handler: HttpFunction, sent: Sent = {}): Promise<Received> {
  const event = {
    httpMethod: sent.method ?? 'POST',
    path: sent.path ?? '/api/v1/sms/send',
    headers: sent.headers ?? {},
    body: sent.body ?? null,
    isBase64Encoded: false,
    pathParameters: sent.pathParameters ?? null,
    queryStringParameters: sent.query ?? null,
    requestContext: {
      requestId: sent.requestId ?? randomUUID(),
      identity: { sourceIp: sent.sourceIp ?? '203.0.113.1' },
    },
  } as unknown as APIGatewayProxyEvent;
  const context = { getRemainingTimeInMillis: () => sent.remainingMs ?? 10_000 } as Context;
  const result: APIGatewayProxyResult = await handler(event, context);
  return {
    status: result.statusCode,
    headers: result.headers ?? {},
    body: JSON.parse(result.body) as Record<string, unknown>,
  };
}

export const jsonType = { 'Content-Type': 'application/json' };
