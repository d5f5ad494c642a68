/** The responses of an operation: the success, and each error status with its codes. */
import { type ErrorCode, errorStatus } from '../../../shared/contract/errors.ts';
import type { Route } from '../../../shared/contract/routes.ts';
import type { Description, Example, SuccessResponse } from './description.ts';
import { errorExample, errorNotes } from './error-examples.ts';
import { responseHeaders } from './headers.ts';
import { type JsonSchema, referenceTo } from './named-schemas.ts';

export interface OpenApiResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly content: Readonly<
    Record<string, { schema: JsonSchema; examples: Readonly<Record<string, Example>> }>
  >;
  /** The possible values of `error` in this response. All errors have one schema. */
  readonly 'x-error-codes'?: readonly ErrorCode[];
}

const dryRunParameter = {
  name: 'dry_run',
  in: 'query',
  required: false,
  description:
    '`true`: checks the request without sending it. The response is 200 with the sender, the segments, the estimated cost, and every reason to refuse the request. Stores and sends nothing, and counts only towards the rate limit.',
  schema: { type: 'boolean', default: false },
};

/**
 * Returns the description of the dry run, as an extension beside the parameters and responses. A second response with
 * status 200 would change the type of a send in generated clients, because they merge all successful responses or take the
 * lowest status.
 */
export function dryRunOf({ dryRun }: Description) {
  if (dryRun === undefined) return undefined;
  const description = 'With `dry_run=true`: the messages that would be sent. Nothing is stored or sent.';
  return {
    parameter: dryRunParameter,
    response: successOf({ ...dryRun, description }),
  };
}

export function responsesOf(route: Route, description: Description): Record<string, OpenApiResponse> {
  const responses: Record<string, OpenApiResponse> = {
    [description.response.status ?? 200]: successOf(
      description.response,
      description.keyed === true ? ['Idempotent-Replayed'] : [],
    ),
  };
  const byStatus = Map.groupBy(errorsOf(route, description), (code) => errorStatus[code]);
  for (const [status, codes] of [...byStatus].toSorted(([a], [b]) => a - b)) {
    responses[status] = refusalOf(status, codes);
  }
  return responses;
}

/** Returns every error code of the operation. */
function errorsOf(route: Route, { keyed, errors = [] }: Description): ErrorCode[] {
  // Every operation refuses malformed Unicode in headers and queries.
  const codes: ErrorCode[] = [...errors, 'invalid_request'];
  // A body is always parsed, even if the operation does not use it, and refused if it is invalid.
  if (route.method !== 'GET' && route.method !== 'DELETE') {
    codes.push('payload_too_large', 'unsupported_media_type');
  }
  if (route.scope !== null) codes.push('unauthorized', 'forbidden');
  if (keyed === true) {
    codes.push('idempotency_in_progress', 'idempotency_key_reused');
    codes.push('message_limit_reached', 'spend_limit_reached');
  }
  codes.push('rate_limit_exceeded', 'internal_error', 'service_unavailable');
  return Object.keys(errorStatus).filter((code): code is ErrorCode => codes.includes(code as ErrorCode));
}

function successOf(
  response: SuccessResponse,
  more: Parameters<typeof responseHeaders>[0] = [],
): OpenApiResponse {
  const { description, schema, examples, headers = {} } = response;
  const own = Object.entries(headers).map(([name, note]) => [
    name,
    { description: note, schema: { type: 'string' } },
  ]);
  return {
    description,
    headers: { ...responseHeaders(more), ...Object.fromEntries(own) },
    content: { 'application/json': { schema: reference(schema), examples } },
  };
}

function refusalOf(status: number, codes: readonly ErrorCode[]): OpenApiResponse {
  const headers = [
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 ? (['Retry-After'] as const) : []),
  ];
  return {
    description: codes.map((code) => `\`${code}\`: ${errorNotes[code]}`).join('\n\n'),
    headers: responseHeaders(headers),
    content: {
      'application/json': {
        schema: reference('ErrorResponse'),
        examples: Object.fromEntries(
          codes.map((code) => [code, { summary: errorNotes[code], value: errorExample(code) }]),
        ),
      },
    },
    'x-error-codes': codes,
  };
}

export function reference(schema: string): JsonSchema {
  return { $ref: referenceTo(schema) };
}
