/**
 * Replaces `@aws-sdk/credential-provider-node` in bundles: Lambda gives credentials in environment variables. The other
 * sources (profiles, SSO, STS, metadata) do not exist in Lambda, and are a fifth of a bundle and of its start-up time.
 */
import { type FromEnvInit, fromEnv } from '@aws-sdk/credential-provider-env';

export function defaultProvider(init?: FromEnvInit): ReturnType<typeof fromEnv> {
  const read = fromEnv(init);
  let known: ReturnType<typeof read> | undefined;
  // Read once, as by the module that this replaces: Lambda sets the variables for the life of the process.
  return () => {
    known ??= read();
    return known;
  };
}
