/** The response headers of the document. */
import { keyPattern } from '../../../shared/message/send/idempotency.ts';
import type { JsonSchema } from './named-schemas.ts';

const integer = { type: 'integer' } as const;
const text = { type: 'string' } as const;

const required = <Header extends object>(description: string, header: Header) =>
  ({ required: true, description, ...header }) as const;

const onEvery = {
  'X-Request-Id': required('The identifier of this request.', { schema: text }),
  'X-RateLimit-Limit': required(
    'The maximum number of requests in the window with the fewest requests left.',
    { schema: integer },
  ),
  'X-RateLimit-Remaining': required('Requests left in that window.', { schema: integer }),
  'X-RateLimit-Reset': required('The time at which that window resets, in Unix seconds.', {
    schema: integer,
  }),
  'X-RateLimit-Policy': required('`<limit>;w=<window_seconds>;comment=<policy_name>`', {
    schema: { ...text, pattern: '^\\d+;w=\\d+;comment=\\w+$' },
    example: '60;w=60;comment=sms_send_minute',
  }),
  'RateLimit-Policy': required('All three windows (draft-ietf-httpapi-ratelimit-headers).', {
    schema: text,
    example: '"sms_send_minute";q=60;w=60, "sms_send_hour";q=1000;w=3600, "sms_send_day";q=10000;w=86400',
  }),
  RateLimit: required('The remaining requests in all three windows (draft-ietf-httpapi-ratelimit-headers).', {
    schema: text,
    example: '"sms_send_minute";r=59;t=42, "sms_send_hour";r=999;t=1842, "sms_send_day";r=9999;t=52242',
  }),
} as const;

const onSome = {
  'Retry-After': required('Seconds to wait; on every 429, and on the 503 of maintenance.', {
    schema: integer,
  }),
  'WWW-Authenticate': required('The challenge (RFC 6750; Basic on the token endpoint).', { schema: text }),
  'Idempotent-Replayed': {
    description: '`true` if this is the response of an earlier request with the same `Idempotency-Key`.',
    schema: { ...text, const: 'true' },
  },
} as const;

export const namedHeaders = { ...onEvery, ...onSome };

export function responseHeaders(more: readonly (keyof typeof onSome)[]): Record<string, JsonSchema> {
  const names = [...Object.keys(onEvery), ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The headers of every response that contains a secret. */
export const noStore = { 'Cache-Control': 'Always `no-store`.' } as const;

/** Returns the header of a send. Each operation has its own example, because each request needs its own key. */
export function idempotencyKeyOf(operationId: string) {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Identifies this request, separately for each client and endpoint, as long as its message or bulk is stored. A repeat gets the first response, with `Idempotent-Replayed: true`, and nothing is sent twice. The quotes of a quoted string are ignored.',
    // 255 characters plus two quotes.
    schema: { type: 'string', maxLength: 257, pattern: `^("${keyPattern}"|${keyPattern})$` },
    example: `order-42-${operationId.replace(/^send/, '').toLowerCase()}`,
  } as const;
}
