/** The response headers of the document. */
import type { JsonSchema } from './schemas.ts';

const integer = { type: 'integer' } as const;
const text = { type: 'string' } as const;

const onEvery = {
  'X-Request-Id': { required: true, description: 'The identifier of this request.', schema: text },
  'X-RateLimit-Limit': {
    required: true,
    description: 'Maximum requests in the binding window.',
    schema: integer,
  },
  'X-RateLimit-Remaining': { required: true, description: 'Requests left in that window.', schema: integer },
  'X-RateLimit-Reset': {
    required: true,
    description: 'When that window resets, in Unix seconds.',
    schema: integer,
  },
  'X-RateLimit-Policy': {
    required: true,
    description: '`<limit>;w=<window_seconds>;comment=<policy_name>`',
    schema: { ...text, pattern: '^\\d+;w=\\d+;comment=\\w+$' },
    example: '60;w=60;comment=sms_send_minute',
  },
  'RateLimit-Policy': {
    required: true,
    description: 'All three windows (draft-ietf-httpapi-ratelimit-headers).',
    schema: text,
    example: '"sms_send_minute";q=60;w=60, "sms_send_hour";q=1000;w=3600, "sms_send_day";q=10000;w=86400',
  },
  RateLimit: {
    required: true,
    description: 'What is left in all three windows (draft-ietf-httpapi-ratelimit-headers).',
    schema: text,
    example: '"sms_send_minute";r=59;t=42, "sms_send_hour";r=999;t=1842, "sms_send_day";r=9999;t=50442',
  },
} as const;

const onSome = {
  'Retry-After': { required: true, description: 'Seconds to wait; only on 429.', schema: integer },
  'WWW-Authenticate': {
    required: true,
    description: 'The challenge (RFC 6750; Basic on the token endpoint).',
    schema: text,
  },
  'Idempotent-Replayed': {
    description: '`true` where this is the answer of an earlier request with the same `Idempotency-Key`.',
    schema: text,
  },
} as const;

export const namedHeaders = { ...onEvery, ...onSome };
export type NamedHeaders = typeof namedHeaders;

export function responseHeaders(more: readonly (keyof typeof onSome)[]): Record<string, JsonSchema> {
  const names = [...Object.keys(onEvery), ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Of responses with a secret in them. */
export const noStore = { 'Cache-Control': 'Always `no-store`.' } as const;

export const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a send safe to repeat: for 24 hours a repeat gets the first answer, with `Idempotent-Replayed: true`, and nothing is sent twice. Per client and endpoint. A quoted string means its content.',
  schema: { type: 'string', pattern: '^("[A-Za-z0-9._:-]{1,255}"|[A-Za-z0-9._:-]{1,255})$' },
  example: 'order-42-shipped',
} as const;
