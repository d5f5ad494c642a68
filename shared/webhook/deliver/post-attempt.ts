/** The second step of a delivery: signs the body, posts it, and describes the attempt. */
import type { Attempt } from '../delivery.ts';
import { endpointOf } from '../endpoint-health/endpoint-health.ts';
import { recordSlowness } from '../endpoint-health/record-answer-time.ts';
import { signatureHeaders } from '../post/signature.ts';
import { attemptOf } from './attempt.ts';
import type { DeliverDependencies, DeliverSettings } from './deliver-webhook.ts';
import type { Claimed } from './prepare-attempt.ts';

export async function postAttempt(
  dependencies: DeliverDependencies,
  { lane, userAgent }: DeliverSettings,
  { delivery, secrets, trigger }: Claimed,
): Promise<Attempt> {
  const startedAt = dependencies.clock();
  const requestHeaders = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'accept-encoding': 'identity',
    ...signatureHeaders(delivery.delivery_id, delivery.body, secrets, startedAt),
  };
  const posting = dependencies.post({ url: delivery.url, headers: requestHeaders, body: delivery.body });
  const result = await recordSlowness(dependencies, lane, endpointOf(delivery), posting);
  return attemptOf(delivery, { trigger, startedAt, endedAt: dependencies.clock(), requestHeaders, result });
}
