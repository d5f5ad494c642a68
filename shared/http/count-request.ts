/**
 * Counts a request against the limit of its client or source address, which the authenticator chose (`authenticate.ts`, for
 * tokens `client-credentials.ts`), then refuses it where it must be refused.
 */
import { GatewayError, rateLimitExceeded } from '../contract/errors.ts';
import type { PolicyName } from '../contract/routes.ts';
import { type Decision, retryAfterSeconds } from '../rate-limit/decision.ts';
import type { RateLimiter } from '../rate-limit/limiter.ts';
import { beforeDeadline } from './deadline.ts';
import type { Step } from './request-context.ts';
import { orUnavailable } from './response.ts';

export function countRequest(limiter: RateLimiter, policy: PolicyName): Step {
  return {
    before: async ({ event: request, context }) => {
      const { now } = request.incoming;
      const { subject, refusal } = request.identity;
      const decision = await beforeDeadline(context, orUnavailable(limiter.check(subject, policy, now)));
      request.decision = decision;
      if (decision.blocked) throw endpointBlocked();
      if (!decision.admitted) throw tooManyRequests(decision, now);
      if (refusal !== undefined) throw refusal;
    },
  };
}

function endpointBlocked(): GatewayError {
  return new GatewayError('forbidden', 'This client is blocked from this endpoint.');
}

function tooManyRequests(decision: Decision, now: Date): GatewayError {
  const seconds = retryAfterSeconds(decision, now);
  const { limit, window } = decision.binding;
  return rateLimitExceeded(`The limit of ${limit} requests a ${window} is used up.`, seconds);
}
