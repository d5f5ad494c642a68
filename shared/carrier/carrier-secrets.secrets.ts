/**
 * Reads the credentials of each carrier from its secret. They are read again after 60 s, so a change needs no deploy. Also
 * checks the credentials with a call that sends nothing.
 */

import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as z from 'zod/mini';
import type { Clock } from '../platform/clock.ts';
import { accessCache, cachedRead } from '../platform/expiring-cache.ts';
import { jsonIn } from '../platform/object-fields.ts';
import type { CarrierModule, CredentialCheck } from './carrier-module.ts';

const secretArns = z.record(z.string(), z.string());

/** Returns the credentials in a carrier's secret: one object, or two with the newest first. */
export type CredentialsOf = <Credentials>(
  carrier: string,
  schema: z.ZodMiniType<Credentials>,
) => Promise<readonly Credentials[]>;

/** The operator has not stored credentials in the secret yet. */
export class NoCredentials extends Error {
  override readonly name = 'NoCredentials';
}

/** Returns a function that reads credentials. It rejects with `NoCredentials` if the secret contains none. */
export function carrierSecrets(
  client: SecretsManagerClient,
  {
    arns,
    baseUrls,
  }: {
    readonly arns: string;
    /** True if a secret may set the carrier's address, which is allowed only on a stage that reaches no real carrier. */
    readonly baseUrls: boolean;
  },
  clock: Clock,
): CredentialsOf {
  const known = secretArns.parse(JSON.parse(arns));
  const textOf = cachedRead(read, accessCache, clock);

  async function read(carrier: string): Promise<string | undefined> {
    const SecretId = known[carrier];
    if (SecretId === undefined) return undefined;
    return (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString;
  }

  return async (carrier, schema) => {
    const parsed = z
      .array(schema)
      .check(z.minLength(1), z.maxLength(2))
      .safeParse(given(await textOf(carrier)));
    // The text of zod's error is left out, because it may quote a secret value.
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

/** This must be less than the timeout of API Gateway. */
const timeLimitMs = 8000;

/**
 * Returns a function that checks a carrier's credentials. It resolves to undefined for a carrier without credentials. It
 * never rejects: an error is a result, too.
 *
 * @param load - loads the carriers on the first check, because their code would slow the start of a command
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
