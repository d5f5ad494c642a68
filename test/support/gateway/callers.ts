/** Callers for function tests: new clients with a key, unused addresses, and an operation that returns its caller. */

import { createApiKey, createClient } from '../../../shared/client/client-admin.ts';
import { routes, type Scope } from '../../../shared/contract/routes.ts';
import { type HttpFunction, httpFunction } from '../../../shared/http/http-function.ts';
import type { Operation } from '../../../shared/operation/operation.ts';
import { type Access, jsonType, type Process } from './access.ts';

let addresses = 0;

export const accepted: Operation = async ({ caller, body }) => ({
  status: 202,
  body: { client_id: caller?.clientId, body },
  log: { message_id: 'msg_1' },
});

export function functionOf(
  access: Access,
  operation: Operation = accepted,
  process: Process = access.newProcess(),
): HttpFunction {
  return httpFunction(process, routes.sendSms, operation);
}

/** A new client with an API key. */
export async function keyOf(
  access: Access,
  wanted: Partial<{
    readonly name: string;
    readonly scopes: readonly Scope[];
    readonly webhookUrl?: string;
    /** The only countries that it may send to; without them it follows the stage. */
    readonly countries?: readonly string[] | undefined;
  }> = {},
): Promise<{ clientId: string; apiKey: string; keyId: string }> {
  const named = { name: 'A', scopes: ['messages'] as const, ...wanted };
  const { client } = await createClient(access.admin, named, access.now);
  const { apiKey, row } = await createApiKey(access.admin, client.client_id, access.now);
  return { clientId: client.client_id, apiKey, keyId: row.key_id };
}

export const bearer = (credential: string) => ({ ...jsonType, Authorization: `Bearer ${credential}` });

export const newAddress = (): string => {
  addresses += 1;
  return `198.51.100.${addresses}`;
};
