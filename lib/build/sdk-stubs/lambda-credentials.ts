/**
 * Replaces `@aws-sdk/credential-provider-node` in bundles: Lambda gives credentials in environment variables. The other
 * sources (profiles, SSO, STS, metadata) do not exist in Lambda, and are a fifth of a bundle and of its start-up time.
 */
import { type FromEnvInit, fromEnv } from '@aws-sdk/credential-provider-env';

export function defaultProvider(init?: FromEnvInit): ReturnType<typeof fromEnv> {
  return fromEnv(init);
}
