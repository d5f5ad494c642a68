/**
 * Replaces `@aws-sdk/credential-provider-node` in bundles, because Lambda sets credentials in environment variables. The other
 * sources (profiles, SSO, STS, metadata) do not exist in Lambda, and they are a fifth of a bundle and of its start-up time.
 */
import { type FromEnvInit, fromEnv } from '@aws-sdk/credential-provider-env';

export function defaultProvider(init?: FromEnvInit): ReturnType<typeof fromEnv> {
  const read = fromEnv(init);
  let known: ReturnType<typeof read> | undefined;
  // Read once, as in the original module, because Lambda sets the variables for the life of the process.
  return () => {
    known ??= read();
    return known;
  };
}
