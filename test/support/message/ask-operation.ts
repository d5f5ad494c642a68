/** Calls an operation as the HTTP stack calls it, at a time of the test's own. */

import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import type { Client } from '../../../shared/client/client.ts';
import { routes } from '../../../shared/contract/routes.ts';
import type { ApiRequest, ApiResponse, Operation } from '../../../shared/operation/operation.ts';

export const webhookUrl = z.url();
let clients = 0;

export type SendName = 'sms' | 'bulk' | 'otp' | 'whatsapp';

export function aClient(change: Partial<Client> = {}): Client {
  clients += 1;
  return {
    client_id: `client-${clients}`,
    name: 'A',
    scopes: ['messages'],
    disabled: false,
    secrets: [],
    created_at: '2026-11-01T00:00:00.000Z',
    ...change,
  };
}

export interface Asked {
  readonly client: Client;
  readonly now: Date;
  readonly body?: unknown;
  readonly key?: string;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

export function ask(operation: Operation, asked: Asked): Promise<ApiResponse> {
  const { client } = asked;
  const request: ApiRequest = {
    workId: randomUUID(),
    route: routes.sendSms,
    method: 'POST',
    path: '/',
    pathParameters: asked.pathParameters ?? {},
    query: asked.query ?? {},
    headers: asked.key === undefined ? {} : { 'idempotency-key': asked.key },
    body: asked.body,
    rawBody: Buffer.alloc(0),
    sourceIp: '203.0.113.1',
    caller: { clientId: client.client_id, scopes: ['messages'], client },
    now: asked.now,
  };
  return operation(request);
}
