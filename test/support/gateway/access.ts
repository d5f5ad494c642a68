/** A gateway's tables for clients, keys and limits on a real engine, with the parts that let requests in. */
import { randomUUID } from 'node:crypto';
import { CreateKeyCommand, type KMSClient } from '@aws-sdk/client-kms';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { dynamoClientAdmin } from '../../../bin/demo-clients.ts';
import type { HttpFunction } from '../../../shared/http/http-function.ts';
import { type TestContext, testContext } from '../engine/test-context.ts';
import type { TestTables } from '../engine/test-tables.ts';

export const issuer = 'https://gateway.test';
export const audience = 'messaging-gateway';

export interface Access {
  readonly admin: ReturnType<typeof dynamoClientAdmin>;
  /** The context of a process of its own: it remembers nothing of what another saw. */
  newProcess(): Process;
  now: Date;
}

export interface Process extends TestContext {
  /** The lines of its log. */
  readonly logged: Record<string, unknown>[];
}

export function accessTo(tables: TestTables, at: Date): Access {
  const access: Access = {
    admin: dynamoClientAdmin(tables.dynamo, tables.names),
    now: at,
    newProcess() {
      const logged: Record<string, unknown>[] = [];
      const line = (level: string) => (_message: string, fields?: object) =>
        logged.push({ level, ...fields });
      const log = { info: line('info'), warn: line('warn'), error: line('error') };
      const env = { TOKEN_ISSUER: issuer, TOKEN_AUDIENCE: audience };
      return { ...testContext(tables, { clock: () => access.now, log, env }), logged };
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
  const lambda = { getRemainingTimeInMillis: () => sent.remainingMs ?? 10_000 } as Context;
  const result: APIGatewayProxyResult = await handler(event, lambda);
  return {
    status: result.statusCode,
    headers: result.headers ?? {},
    body: JSON.parse(result.body) as Record<string, unknown>,
  };
}

export const jsonType = { 'Content-Type': 'application/json' };
