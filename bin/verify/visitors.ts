/**
 * The clients of a run, which have test keys only: no carrier is called. They are made when a promise needs one, and at
 * its end left without a credential, a limit, a webhook endpoint, or a message that still acts. Their rows remain, as those of
 * every client do, disabled. A run that was killed leaves its clients to a later one.
 */

import type { AdminDependencies } from '../../shared/admin/admin-dependencies.ts';
import { createApiKey, revokeApiKey } from '../../shared/admin/client-credentials.ts';
import { changePermissions, createClient, setClientDisabled } from '../../shared/admin/clients.ts';
import { readClients } from '../../shared/admin/find-client.ts';
import { removeLimits, setLimits } from '../../shared/admin/limits.ts';
import { clientIdIn } from '../../shared/contract/mode.ts';
import type { Caller } from './http-caller.ts';
import type { Visitor } from './verified-stage.ts';

/** Where the messages go. */
const country = 'GB';
const actor = 'verify';

/** When the run of a client with this name began; undefined for a client of somebody else. */
const begunAt = (name: string): Date | undefined => {
  const time = /^Verification, [a-z]+, (\d{4}-\d\d-\d\dT[\d:.]+Z)$/.exec(name)?.[1];
  return time === undefined ? undefined : new Date(time);
};

export interface Cleaned {
  readonly cleaned: readonly string[];
  /** What could not be taken back. */
  readonly left: readonly string[];
}

export interface Visitors {
  /** Returns the client for this purpose, which promises with the same purpose share. */
  of(purpose: string): Promise<Visitor>;
  /** Takes back everything that could act. @returns what could not be taken back */
  leave(): Promise<readonly string[]>;
  /** The same for the clients of runs that began before, and did not end. */
  leaveEarlier(before: Date): Promise<Cleaned>;
}

/** A test key, with the requests that are made with it. */
interface Key extends Pick<Visitor, 'call'> {
  readonly keyId: string;
}

interface Made {
  readonly visitor: Visitor;
  readonly key: Key;
  readonly limits: ReadonlySet<string>;
}

export function visitorsOf(dependencies: AdminDependencies, call: Caller): Visitors {
  const made = new Map<string, Promise<Made>>();

  async function newKey(clientId: string): Promise<Key> {
    const { api_key, key_id } = await createApiKey(dependencies, actor, clientIdIn('test', clientId));
    // With a live key the carrier would send to the people who have these numbers.
    if (!api_key.startsWith('sk-test-')) throw new Error('the key that was made is no test key');
    return {
      keyId: key_id,
      call: (method, path, { headers, body } = {}) =>
        call(method, path, {
          ...(body === undefined ? {} : { body }),
          headers: { Authorization: `Bearer ${api_key}`, ...headers },
        }),
    };
  }

  async function make(purpose: string): Promise<Made> {
    const name = `Verification, ${purpose}, ${dependencies.clock().toISOString()}`;
    const client = await createClient(dependencies, actor, { name, scopes: ['messages'], webhook_url: null });
    const clientId = client.client_id;
    if (dependencies.stageCountries?.includes(country) === false)
      await changePermissions(dependencies, actor, clientId, { countries: [country] });
    const key = await newKey(clientId);
    const limits = new Set<string>();
    return {
      key,
      limits,
      visitor: {
        clientId,
        clientSecret: client.client_secret,
        call: key.call,
        async limitPerMinute(endpoint, perMinute) {
          limits.add(endpoint);
          await setLimits(dependencies, actor, clientId, { endpoint, per_minute: perMinute });
        },
      },
    };
  }

  /** @param known - its key and its limits, where this run made them: an index may not have them yet */
  async function takeBack(
    clientId: string,
    known?: Pick<Made, 'key' | 'limits'>,
  ): Promise<readonly string[]> {
    const left: string[] = [];
    let key = known?.key;
    const steps = [
      async () => {
        key ??= await newKey(clientId);
        await withdraw(key);
      },
      async () => {
        const listed = await dependencies.apiKeys.listOf(clientIdIn('test', clientId));
        const ids = new Set([...(key === undefined ? [] : [key.keyId]), ...listed.map((one) => one.key_id)]);
        for (const id of ids) await revokeApiKey(dependencies, actor, clientIdIn('test', clientId), id);
      },
      // Its secret and its tokens are refused from then on.
      () => setClientDisabled(dependencies, actor, clientId, true),
      async () => {
        const rows = await dependencies.overrides.rowsOf(clientId);
        const endpoints = new Set([...(known?.limits ?? []), ...rows.map((row) => String(row.endpoint))]);
        for (const endpoint of endpoints) await removeLimits(dependencies, actor, clientId, endpoint);
      },
    ];
    for (const step of steps)
      await step().catch((error: unknown) => left.push(`client ${clientId}: ${String(error)}`));
    return left;
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
        const one = await client.catch(() => undefined);
        if (one !== undefined) left.push(...(await takeBack(one.visitor.clientId, one)));
      }
      return left;
    },
    async leaveEarlier(before) {
      const cleaned: string[] = [];
      const left: string[] = [];
      for (const { client_id, name, disabled } of (await readClients(dependencies)).clients) {
        const begun = begunAt(name);
        if (disabled || begun === undefined || begun >= before) continue;
        const kept = await takeBack(client_id);
        left.push(...kept);
        if (kept.length === 0) cleaned.push(`client ${client_id}`);
      }
      return { cleaned, left };
    },
  };
}

const messagesPath = '/api/v1/messages';
const endpointsPath = '/api/v1/webhook-endpoints';

/** Cancels what is scheduled, and deletes the endpoints: what would be retried later is withdrawn with them. */
async function withdraw({ call }: Key): Promise<void> {
  const { messages = [] } = await bodyOf(call, `${messagesPath}?status=scheduled&limit=100`);
  for (const { message_id } of messages as readonly { readonly message_id: string }[])
    await call('DELETE', `${messagesPath}/${message_id}`);
  const { webhook_endpoints = [] } = await bodyOf(call, endpointsPath);
  for (const { endpoint_id } of webhook_endpoints as readonly { readonly endpoint_id: string }[])
    await call('DELETE', `${endpointsPath}/${endpoint_id}`);
}

async function bodyOf(call: Key['call'], path: string) {
  const { status, body } = await call('GET', path);
  if (status !== 200) throw new Error(`GET ${path} is ${status} ${String(body.error)}`);
  return body;
}
