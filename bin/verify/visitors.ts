/**
 * The clients of a run, which have test keys only: no carrier is called. They are made when a promise needs one, and at
 * its end left without a credential, a limit, or a message that still acts. Their rows remain, as those of every client do, disabled.
 */

import type { AdminDependencies } from '../../shared/admin/admin-dependencies.ts';
import { createApiKey, revokeApiKey } from '../../shared/admin/client-credentials.ts';
import { changePermissions, createClient, setClientDisabled } from '../../shared/admin/clients.ts';
import { removeLimits, setLimits } from '../../shared/admin/limits.ts';
import { clientIdIn } from '../../shared/contract/mode.ts';
import type { Caller } from './http-caller.ts';
import type { Visitor } from './verified-stage.ts';

/** Where the messages go. */
const country = 'GB';
const actor = 'verify';

interface Visitors {
  /** Returns the client for this purpose, which promises with the same purpose share. */
  of(purpose: string): Promise<Visitor>;
  /** Takes back everything that could act. @returns what could not be taken back */
  leave(): Promise<readonly string[]>;
}

interface Made {
  readonly visitor: Visitor;
  readonly keyId: string;
  readonly limits: Set<string>;
}

export function visitorsOf(dependencies: AdminDependencies, call: Caller): Visitors {
  const made = new Map<string, Promise<Made>>();

  async function make(purpose: string): Promise<Made> {
    const name = `Verification, ${purpose}, ${dependencies.clock().toISOString()}`;
    const client = await createClient(dependencies, actor, { name, scopes: ['messages'], webhook_url: null });
    const clientId = client.client_id;
    if (dependencies.stageCountries?.includes(country) === false)
      await changePermissions(dependencies, actor, clientId, { countries: [country] });
    const { api_key, key_id } = await createApiKey(dependencies, actor, clientIdIn('test', clientId));
    // With a live key the carrier would send to the people who have these numbers.
    if (!api_key.startsWith('sk-test-')) throw new Error('the key that was made is no test key');
    const limits = new Set<string>();
    return {
      keyId: key_id,
      limits,
      visitor: {
        clientId,
        clientSecret: client.client_secret,
        call: (method, path, { headers, body } = {}) =>
          call(method, path, {
            ...(body === undefined ? {} : { body }),
            headers: { Authorization: `Bearer ${api_key}`, ...headers },
          }),
        async limitPerMinute(endpoint, perMinute) {
          limits.add(endpoint);
          await setLimits(dependencies, actor, clientId, { endpoint, per_minute: perMinute });
        },
      },
    };
  }

  return {
    async of(purpose) {
      const client = made.get(purpose) ?? make(purpose);
      made.set(purpose, client);
      return (await client).visitor;
    },
    async leave() {
      const left: string[] = [];
      for (const client of made.values()) {
        // A client that could not be made was reported by its promise.
        const { visitor, keyId, limits } = (await client.catch(() => undefined)) ?? {};
        if (visitor === undefined || keyId === undefined) continue;
        const { clientId } = visitor;
        const steps = [
          () => cancelScheduled(visitor),
          () => revokeApiKey(dependencies, actor, clientIdIn('test', clientId), keyId),
          // Its secret and its tokens are refused from then on.
          () => setClientDisabled(dependencies, actor, clientId, true),
          ...[...(limits ?? [])].map(
            (endpoint) => () => removeLimits(dependencies, actor, clientId, endpoint),
          ),
        ];
        for (const step of steps)
          await step().catch((error: unknown) => left.push(`client ${clientId}: ${String(error)}`));
      }
      return left;
    },
  };
}

async function cancelScheduled(visitor: Visitor): Promise<void> {
  const { body } = await visitor.call('GET', '/api/v1/messages?status=scheduled&limit=100');
  for (const { message_id } of (body.messages ?? []) as readonly { readonly message_id: string }[])
    await visitor.call('DELETE', `/api/v1/messages/${message_id}`);
}
