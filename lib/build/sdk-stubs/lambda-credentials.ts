/**
 * Replaces `@aws-sdk/credential-provider-node` in bundles, because Lambda sets credentials in environment variables. The
 * other sources (profiles, SSO, STS, metadata) do not exist in Lambda, and their code is a fifth of a bundle and of its
 * start-up time.
 */
import { type FromEnvInit, fromEnv } from '@aws-sdk/credential-provider-env';

export function defaultProvider(init?: FromEnvInit): ReturnType<typeof fromEnv> {
  const read = fromEnv(init);
  let known: ReturnType<typeof read> | undefined;
  // Reads the variables once, like the original module, because they do not change during the life of the process.
  return () => {
    known ??= read();
    return known;
  };
}
