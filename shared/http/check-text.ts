/** Refuses a request with text that no operation can process. */
import { GatewayError, nothingAtPathText } from '../contract/errors.ts';
import { definedValues, type Step } from './request-context.ts';
import { assertWellFormedTexts } from './well-formed.ts';

/** No id of ours is longer. */
const idLengthMax = 128;

/** @throws GatewayError `not_found` where a part of a path is too long for an id. */
export function assertIdLength(id: string): void {
  if (id.length > idLengthMax) throw new GatewayError('not_found', nothingAtPathText);
}

/** Throws where a text is not well-formed Unicode, or a path parameter is too long for an id. */
export function checkText(): Step {
  return {
    before: ({ event: { event } }) => {
      assertWellFormedTexts(
        event.headers,
        event.multiValueHeaders,
        event.queryStringParameters,
        event.multiValueQueryStringParameters,
        event.pathParameters,
        // Base64 hides no text that is not well-formed: its bytes are checked when the body is parsed.
        event.isBase64Encoded ? undefined : { body: event.body ?? undefined },
      );
      const { proxy: _rest, ...ids } = definedValues(event.pathParameters);
      for (const id of Object.values(ids)) assertIdLength(id);
    },
  };
}
