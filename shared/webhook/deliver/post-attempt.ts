/** The second step of a delivery: signs the body, posts it, and describes the attempt. */
import type { AwsDestination } from '../aws-destination/aws-destination.ts';
import { type AwsRequest, textFor } from '../aws-destination/send-to-aws.ts';
import type { Attempt, Delivery } from '../delivery.ts';
import { clientOriginOf } from '../endpoint-health/endpoint-health.ts';
import { recordSlowness } from '../endpoint-health/record-response-time.ts';
import { awsDestinationOf } from '../endpoints/webhook-endpoint.ts';
import { signatureHeaders } from '../post/signature.ts';
import { attemptOf } from './attempt.ts';
import type { DeliverDependencies, DeliverSettings } from './deliver-dependencies.ts';
import type { Claimed } from './prepare-attempt.ts';

export async function postAttempt(
  dependencies: DeliverDependencies,
  { lane, userAgent }: DeliverSettings,
  { delivery, endpoint, secrets, trigger }: Claimed,
): Promise<Attempt> {
  const startedAt = dependencies.clock();
  const destination = endpoint === undefined ? undefined : awsDestinationOf(endpoint);
  const body = destination === undefined ? delivery.body : textFor(destination, delivery.body);
  const signed = {
    'content-type': 'application/json',
    ...signatureHeaders(delivery.delivery_id, body, secrets, startedAt),
  };
  const requestHeaders =
    destination === undefined
      ? { ...signed, 'user-agent': userAgent, 'accept-encoding': 'identity' }
      : signed;
  const posting =
    destination === undefined
      ? dependencies.post({ url: delivery.url, headers: requestHeaders, body })
      : dependencies.sendToAws({ ...awsRequestOf(delivery, destination), headers: requestHeaders, body });
  const result = await recordSlowness(dependencies, lane, clientOriginOf(delivery), posting);
  return attemptOf(delivery, { trigger, startedAt, endedAt: dependencies.clock(), requestHeaders, result });
}

function awsRequestOf(delivery: Delivery, destination: AwsDestination): Omit<AwsRequest, 'headers' | 'body'> {
  const { delivery_id, client_id, endpoint_id = '', message_id, event } = delivery;
  // A resend is wanted, however soon; a retry after an unknown outcome is not.
  const isResend = delivery.attempt_trigger === 'manual';
  return {
    destination,
    clientId: client_id,
    endpointId: endpoint_id,
    event,
    order: {
      groupId: message_id ?? delivery_id,
      deduplicationId: isResend ? `${delivery_id}-${delivery.attempt_number}` : delivery_id,
    },
  };
}
