/** Clients and API keys as an administrator sees them, without secrets and their hashes. */
import { type ApiKey, type Client, isLive } from '../client/client.ts';

export interface ClientView {
  readonly client_id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly disabled: boolean;
  readonly webhook_url: string | null;
  readonly created_at: string;
  /** The live ones, newest first. */
  readonly secrets: readonly { readonly created_at: string; readonly expires_at: string | null }[];
  readonly countries: readonly string[] | null;
  readonly senders: readonly string[] | null;
  /** The attributes of its row in `clients` that a person made invalid. Where they say what it may do, its requests are refused. */
  readonly invalid: readonly string[];
}

export interface ApiKeyView {
  readonly key_id: string;
  readonly client_id: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

export function clientView(client: Client, now: Date): ClientView {
  return {
    client_id: client.client_id,
    name: client.name,
    scopes: client.scopes,
    disabled: client.disabled,
    webhook_url: client.webhook_url ?? null,
    created_at: client.created_at,
    secrets: client.secrets
      .filter((secret) => isLive(secret, now))
      .map(({ created_at, expires_at }) => ({ created_at, expires_at: expires_at ?? null })),
    countries: client.countries ?? null,
    senders: client.senders ?? null,
    invalid: client.invalid ?? [],
  };
}

export function apiKeyView({ key_id, client_id, created_at, revoked_at }: ApiKey): ApiKeyView {
  return { key_id, client_id, created_at, revoked_at: revoked_at ?? null };
}
