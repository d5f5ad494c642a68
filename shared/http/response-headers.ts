/** Adds the headers that every response has: the rate limit, those of the function, and the request id. */
import type { PolicyName } from '../contract/routes.ts';
import { rateLimitHeaders, uncountedHeaders } from '../rate-limit/headers.ts';
import { onEveryResponse, type Step } from './request-context.ts';

export function responseHeaders(policy: PolicyName, ofFunction: Readonly<Record<string, string>>): Step {
  return onEveryResponse(({ incoming, decision, requestId }, response) => {
    const limits =
      decision === undefined
        ? uncountedHeaders(policy, incoming.now)
        : rateLimitHeaders(decision, incoming.now);
    return {
      ...response,
      // The operation's own override the limits: a refusal may describe another limit, such as that of one recipient.
      headers: { ...limits, ...response.headers, ...ofFunction, 'X-Request-Id': requestId },
    };
  });
}
