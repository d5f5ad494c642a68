/** The introduction of the API document: the rules of all operations. */

import { version } from '../../../shared/contract/routes.ts';
import { inWords } from '../../../shared/platform/clock.ts';
import { tokenLifetimeSeconds } from '../../../shared/token/verify-token.dynamo.ts';

/** The lifetime of a token as words, such as "one hour". */
export const tokenLifetime = inWords([tokenLifetimeSeconds]);

export const topics: readonly {
  readonly title: string;
  /** The section's text in Markdown. */
  readonly text: string;
}[] = [
  {
    title: 'Requests and responses',
    text: 'Bodies are JSON in UTF-8, field names are `snake_case`, times are ISO 8601 in UTC, phone numbers are in international format (E.164). An optional field can be `null`, which means the same as an absent field, unless the operation gives `null` another meaning. Unknown fields are ignored, and a dry run lists them in `unknown_fields`. A list refuses unknown query parameters with 400 `invalid_request`. Lists have pages: to get the next page, send the `next_cursor` of a response as `cursor`.',
  },
  {
    title: 'Authentication',
    text: `Request an access token with your client id and secret, and send it as \`Authorization: Bearer <access token>\` with every other request. The token is valid for ${tokenLifetime}. Request a new one when it has expired (401 \`unauthorized\`), and not for each request. An API key (\`sk-…\`) is accepted instead, but not recommended. A service that verifies tokens itself finds the issuer, the public keys and the \`audience\` (\`aud\`) at \`/.well-known/openid-configuration\`.`,
  },
  {
    title: 'Errors',
    text: 'Every error response has the body `{"error", "message", "request_id", "doc_url"}`: a stable code for programs, a sentence for people, the identifier of the request, and a link to the explanation of the code. If fields are invalid, `message` describes the first, and `details` lists all. A 429 adds `retry_after`. An unknown path gets 404 `not_found`. A known path with another method gets 405 `method_not_allowed` with `Allow`.',
  },
  {
    title: 'Repeating a send safely',
    text: 'Give each send a unique `Idempotency-Key`, such as an order number and a step (`order-42-shipped`). Never derive a key from only a user or a text, because the next message with this key would not be sent. If you did not get the response, send the same request with the same key again. You get the first response, with `Idempotent-Replayed: true`, and nothing is sent twice. A key stays bound to its request for as long as the message or bulk is stored. Two requests with the same meaning are the same: unknown fields, nulls, defaults, the order of fields and the spelling of a phone number make no difference. A different request with the same key gets 422 `idempotency_key_reused`. The quotes of a quoted key (`"…"`) are ignored.',
  },
  {
    title: 'States of a message',
    text: 'A message goes from `queued` (or `scheduled`, then `queued`) through `sending` and `sent` to `delivered`, `failed` or `expired`; WhatsApp adds `read`. A scheduled message that you cancel is `canceled`. A state never moves backwards, except that `delivered` replaces `failed` and `expired`, because the receipt of the carrier proves the delivery. In countries without reports from phones, `delivered` of an SMS means that the carrier has accepted it.',
  },
  {
    title: 'Phone numbers',
    text: 'A phone number begins with `+` and the country code. You can send it as people paste it, such as `+44 (0)7700 900-123`: spaces, hyphens, parentheses, dots and invisible marks are ignored, and full-width digits are converted. Any other form, or `00` instead of `+`, gets 400. The gateway stores and shows each number in one spelling, E.164, without digits that are dialed only within a country (`+44 0…`, `+1 1…`). Limits, duplicates and searches use this spelling. In a query, write `+` as `%2B`; a space at the start of a number is read as `+`.',
  },
  {
    title: 'Senders and countries',
    text: 'An administrator can limit a client to some countries and senders. A send to another country or from another sender gets 403 `forbidden`. In a bulk request, its row is rejected with the error `forbidden`. Territories have their own codes (Jersey is not `GB`, Puerto Rico is not `US`). Satellite, international freephone and premium numbers belong to no country, and are refused unless the operator allows their calling code, such as +881. A client with a list of senders must name one of them in `from`. One-time passwords and WhatsApp messages have no `from`. To allow them, the list must contain `otp` and `whatsapp`.',
  },
  {
    title: 'Rate limits',
    text: 'Requests are counted for each client and endpoint in three fixed windows: UTC minute, hour and day. A request is accepted only if all three windows have room. A refused request does not count. Every response has `X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset` and `X-RateLimit-Policy`, which describe the window with the fewest requests left. A refused request gets 429 `rate_limit_exceeded` with `Retry-After`, in seconds. An administrator can change the limits of a client.',
  },
  {
    title: 'Caps',
    text: 'A client can have caps on the number of recipients and on the estimated cost of its messages, by UTC minute, hour, day and calendar month. A message counts when its send is accepted; a repeat with the same `Idempotency-Key` does not count again. If a cap has no room for all recipients of a request, the whole request is refused with 429 `message_limit_reached` or `spend_limit_reached`, and nothing is stored; `Retry-After` contains the seconds until the window resets.',
  },
  {
    title: 'Versions',
    text: `This is release ${version} of the gateway. In \`/api/v1\`, a release may only add: operations, response fields, events, and error codes under a known status. So ignore unknown fields and events, and treat an unknown error code by its HTTP status. A removal is announced at least twelve months before: in the list of changes, as \`deprecated\` in the API document, and in the headers \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594). The next version would be \`/api/v2\`, next to this one.`,
  },
];

/** The introduction of the API document, in Markdown. */
export const introduction = [
  'The gateway sends SMS, WhatsApp messages and one-time passwords. It reports the status of each message in status responses and signed webhooks.',
  ...topics.map(({ title, text }) => `## ${title}\n\n${text}`),
].join('\n\n');

/** The description of each tag, in the order of the document. */
export const tagNotes = {
  Authentication: 'Get an access token.',
  Sending: 'Send messages. Each request gets 202 when the message is stored.',
  'One-time passwords': 'Send and verify codes.',
  Messages: 'Look messages up, and cancel scheduled ones.',
  Account: 'Your own settings and usage.',
  'Webhook endpoints':
    'Endpoints that receive the events of all messages, each with a separate filter and secret.',
  'Webhook deliveries': 'The log of webhooks with their attempts, and resends of webhooks.',
  Suppressions: 'Recipients to whom your messages are not sent.',
  Webhooks: 'The requests that the gateway posts to your server.',
} as const;

export type Tag = keyof typeof tagNotes;
