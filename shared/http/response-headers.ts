/** Adds the headers that every response has: the rate limit, those of the function, and the request id. */
import type { PolicyName } from '../contract/routes.ts';
import { rateLimitHeaders, uncountedHeaders } from '../rate-limit/headers.ts';
import { onEveryResponse, type Step } from './request-context.ts';

export function responseHeaders(policy: PolicyName, ofFunction: Readonly<Record<string, string>>): Step {
  return onEveryResponse(({ incoming, decision, requestId, unknownFields }, response) => {
    const limits =
      decision === undefined
        ? uncountedHeaders(policy, incoming.now)
        : rateLimitHeaders(decision, incoming.now);
    return {
      ...response,
      // The operation's own override the limits: a refusal may describe another limit, such as that of one recipient.
      headers: {
        ...limits,
        ...response.headers,
        ...unknownFieldsHeader([...unknownFields]),
        ...ofFunction,
        'X-Request-Id': requestId,
      },
    };
  });
}

/** Proxies refuse long headers. */
const namedMax = 20;
const nameCharactersMax = 64;

/** The names are the caller's, so what a header cannot hold is percent-encoded. */
function unknownFieldsHeader(names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const shown = names
    .slice(0, namedMax)
    .map((name) =>
      encodeURI(name.slice(0, nameCharactersMax).toWellFormed())
        .replaceAll(',', '%2C')
        .replaceAll('%5B', '[')
        .replaceAll('%5D', ']'),
    );
  return { 'X-Unknown-Fields': [...shown, ...(names.length > namedMax ? ['...'] : [])].join(', ') };
}
