/**
 * Posts to an AWS service whose client is not a dependency. The SDK's signer signs the call with the region and credentials
 * of another service's client.
 */
import type { AwsCredentialIdentityProvider, Provider } from '@aws-sdk/types';
import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from './sha256.ts';

const timeLimitMs = 10_000;

export function addressOf(host: string, region: string): string {
  return `https://${host}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

export async function signedPost(
  {
    region,
    credentials,
  }: {
    readonly region: Provider<string>;
    readonly credentials: AwsCredentialIdentityProvider;
  },
  {
    service,
    endpoint,
    headers,
    body,
  }: {
    /** The service name for which the call is signed. */
    readonly service: string;
    readonly endpoint: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  },
): Promise<Response> {
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
  const signed = await signer.sign({
    method: 'POST',
    protocol: endpoint.protocol,
    hostname: endpoint.hostname,
    path: '/',
    headers: { host: endpoint.host, ...headers },
    body,
  });
  return fetch(endpoint, {
    method: 'POST',
    headers: signed.headers,
    body,
    signal: AbortSignal.timeout(timeLimitMs),
  });
}
