/** Asks carriers whether the credentials of the stage work, by a call that sends nothing. */
import type { CarrierModule, CredentialCheck } from './carrier-module.ts';
import type { CredentialsOf } from './carrier-secrets.secrets.ts';

/** Undefined for a carrier without credentials of its own. Never rejects: what went wrong is the answer. */
export type CheckCredentials = (carrier: string) => Promise<CredentialCheck | undefined>;

/** Within the time that API Gateway waits. */
const timeLimitMs = 8000;

/** @param load - the carriers, read when they are needed: their code would slow the start of a command */
export function credentialChecks(
  load: () => Promise<readonly CarrierModule[]>,
  credentialsOf: CredentialsOf,
): CheckCredentials {
  return async (name) => {
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
