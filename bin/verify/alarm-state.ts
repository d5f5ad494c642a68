/**
 * Reads the state of an alarm from CloudWatch. The gateway itself never calls CloudWatch, so no client of it is among its
 * dependencies; this one call is signed by the part of the SDK that signs all others.
 */
import { SQSClient } from '@aws-sdk/client-sqs';
import { SignatureV4 } from '@smithy/signature-v4';
import { Sha256 } from '../../shared/platform/aws/sha256.ts';

const timeLimitMs = 10_000;

/** `OK`, `ALARM` or `INSUFFICIENT_DATA`. @throws Error where there is no such alarm */
export async function alarmState(name: string): Promise<string> {
  // Every client finds the region and the credentials of the environment in the same way.
  const { config } = new SQSClient({});
  const region = await config.region();
  const endpoint = new URL(
    process.env.AWS_ENDPOINT_URL ?? `https://monitoring.${region}.${suffixOf(region)}`,
  );
  const body = new URLSearchParams({
    Action: 'DescribeAlarms',
    Version: '2010-08-01',
    'AlarmNames.member.1': name,
  }).toString();
  const signer = new SignatureV4({
    service: 'monitoring',
    region,
    credentials: config.credentials,
    sha256: Sha256,
  });
  const { headers } = await signer.sign({
    method: 'POST',
    protocol: endpoint.protocol,
    hostname: endpoint.hostname,
    path: '/',
    headers: { host: endpoint.host, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body,
  });
  const response = await fetch(endpoint, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(timeLimitMs),
  });
  const text = await response.text();
  const [, state] = /<StateValue>(\w+)<\/StateValue>/.exec(text) ?? [];
  if (state === undefined) throw new Error(`CloudWatch knows no state of ${name}: ${response.status}`);
  return state;
}

function suffixOf(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}
