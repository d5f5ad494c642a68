/** The introduction of the API reference, in Markdown. */
import type { Tag } from './description.ts';

export const introduction = `The gateway sends messages by SMS and WhatsApp and reports their status.

**Form.** Bodies are JSON in UTF-8, names are \`snake_case\`, times are ISO 8601 in UTC. Unknown request fields are ignored. An optional field may be \`null\`, which means the same as leaving it out.

**Authentication.** Every operation except the token request takes \`Authorization: Bearer <access token>\`; an API key (\`sk-…\`) in the same place is accepted but not recommended. A token is valid for 3600 seconds.

**Errors.** The body is \`{"error", "message", "request_id"}\`: a stable code, a sentence, and the identifier of the request. \`details\` names all invalid fields at once. An unknown path is answered with 404 \`not_found\`, a known path with a wrong method with 405 \`method_not_allowed\` and \`Allow\`.

**Rate limits.** Requests are counted per client and endpoint in three fixed windows at once: UTC minute, hour and day. A request is admitted only if no window is used up; a refused one is not counted. Every response carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\`, \`X-RateLimit-Reset\` and \`X-RateLimit-Policy\`, which describe the window with the fewest requests left. A 429 also carries \`Retry-After\`. Limits can be raised per client.

**Caps.** A client can have caps on the recipients and on the estimated cost of its messages, by UTC minute, hour, day and calendar month. A send counts when it is accepted, a repeat with the same \`Idempotency-Key\` does not count again. Where there is no room for all recipients of a request, it is 429 \`message_limit_reached\` or \`spend_limit_reached\`, and nothing is stored; \`Retry-After\` says when the window resets.

**Idempotency.** The sends take \`Idempotency-Key\`: within 24 hours a repeat of the same request gets the first answer and sends nothing. Requests are the same if they have the same meaning: unknown fields, nulls, defaults, the order of fields and the spelling of a phone number make no difference. The quotes of a quoted key (\`"…"\`) are ignored.

**States of a message.** \`scheduled → queued → sending → sent → delivered | failed | expired\`, for WhatsApp also \`→ read\`; \`scheduled → canceled\`. A state never moves backwards, except that \`delivered\` is accepted after \`failed\` or \`expired\`, because the carrier’s receipt is right. In countries whose carriers do not report from the handset, \`delivered\` of an SMS means that the carrier has accepted it.

**Phone numbers.** A number has one spelling: digits that are dialed within a country only (\`+44 0…\`, \`+1 1…\`) are left out, and \`recipient\` shows it without them. Limits, duplicates and searches use that spelling.

**Senders and countries.** An administrator can limit a client to some countries and senders; anything else is 403 \`forbidden\`. A client with a list of senders must name one of them in \`from\`. One-time passwords and WhatsApp messages have no sender; they need the entries \`otp\` and \`whatsapp\` in that list.`;

export const tagNotes: Readonly<Record<Tag, string>> = {
  Authentication: 'Getting an access token.',
  Sending: 'Sending messages. Each answers 202 once the message is stored.',
  'One-time passwords': 'Sending and verifying codes.',
  Messages: 'Looking messages up, and canceling them.',
  Account: 'The client’s own settings.',
  'Webhook endpoints': 'Where the events of all messages go, each endpoint with its own filter and secret.',
  Webhooks: 'What the gateway posts to the client.',
};
