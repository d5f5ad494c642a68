/**
 * Replaces `@aws-sdk/credential-provider-node` in bundles, because Lambda sets credentials in environment variables. Other
 * sources (profiles, SSO, STS, metadata) do not exist there, and their code is a fifth of a bundle and of its start.
 */
import { type FromEnvInit, fromEnv } from '@aws-sdk/credential-provider-env';

export function defaultProvider(init?: FromEnvInit): ReturnType<typeof fromEnv> {
  const read = fromEnv(init);
  let known: ReturnType<typeof read> | undefined;
  // The variables are read once, as in the original module, because they do not change during the life of the process.
  return () => {
    known ??= read();
    return known;
  };
}
