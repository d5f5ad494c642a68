/**
 * The credentials of carriers: a secret for each, which is read again within 60 s, so that a change needs no deploy; and
 * whether they work, asked by a call that sends nothing.
 */

import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import type { Clock } from '../platform/clock.ts';
import { accessCache, CachedReader } from '../platform/expiring-cache.ts';
import { jsonIn } from '../platform/object-fields.ts';
import type { CarrierModule, CredentialCheck } from './carrier-module.ts';

const secretArns = z.record(z.string(), z.string());

interface CarrierSecretsSettings {
  readonly arns: string;
  /** Whether a secret may name the address of the carrier; only on a stage that reaches no real one. */
  readonly baseUrls: boolean;
}

/** Returns the credentials of a carrier: the object that its secret has, or the newest first of a list of two. */
export type CredentialsOf = <Credentials>(
  carrier: string,
  schema: z.ZodMiniType<Credentials>,
) => Promise<readonly Credentials[]>;

/** The operator has not put credentials into the secret yet. */
export class NoCredentials extends Error {
  override readonly name = 'NoCredentials';
}

/** The credentials reject with `NoCredentials` where the secret does not have any. */
export function carrierSecrets(
  client: SecretsManagerClient,
  { arns, baseUrls }: CarrierSecretsSettings,
  clock: Clock,
): CredentialsOf {
  const known = secretArns.parse(JSON.parse(arns));
  const texts = new CachedReader(read, accessCache, clock);

  async function read(carrier: string): Promise<string | undefined> {
    const SecretId = known[carrier];
    if (SecretId === undefined) return undefined;
    return (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString;
  }

  return async (carrier, schema) => {
    const parsed = z
      .array(schema)
      .check(z.minLength(1), z.maxLength(2))
      .safeParse(given(await texts.get(carrier)));
    // Without the fault's text, which may quote a value.
    if (!parsed.success)
      throw new NoCredentials(`the secret of the carrier ${carrier} has no valid credentials`);
    return parsed.data;
  };

  function given(text: string | undefined): unknown {
    const value = jsonIn(text ?? '');
    return (Array.isArray(value) ? value : [value]).map(withoutBaseUrl);
  }

  function withoutBaseUrl(value: unknown): unknown {
    if (baseUrls || typeof value !== 'object' || value === null) return value;
    const { base_url: _ignored, ...rest } = value as Record<string, unknown>;
    return rest;
  }
}

/** Within the time that API Gateway waits. */
const timeLimitMs = 8000;

/**
 * A check is undefined for a carrier without credentials of its own. It never rejects: what went wrong is the answer.
 *
 * @param load - the carriers, read when they are needed: their code would slow the start of a command
 */
export function credentialChecks(
  load: () => Promise<readonly CarrierModule[]>,
  credentialsOf: CredentialsOf,
) {
  return async (name: string): Promise<CredentialCheck | undefined> => {
    const module = (await load()).find(({ descriptor }) => descriptor.name === name);
    const schema = module?.credentials;
    if (module?.checkCredentials === undefined || schema === undefined) return undefined;
    try {
      return await module.checkCredentials({ credentials: () => credentialsOf(name, schema), timeLimitMs });
    } catch (error) {
      return { works: false, answer: error instanceof Error ? error.message : String(error) };
    }
  };
}
