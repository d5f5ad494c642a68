/**
 * What a bundle takes for `@aws-sdk/credential-provider-node`: a function's credentials stand in its environment,
 * where the SDK looks first anyway. All other sources (profiles, SSO, STS, metadata) are a fifth of a bundle and
 * of its start, and none of them exists in Lambda.
 */
import { type FromEnvInit, fromEnv } from '@aws-sdk/credential-provider-env';

export function defaultProvider(init?: FromEnvInit): ReturnType<typeof fromEnv> {
  return fromEnv(init);
}
