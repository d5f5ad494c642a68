// Receives webhooks on PORT. Node 20 or later, nothing else.
// WEBHOOK_SECRET is one secret, or during a rotation the old and the new one, separated by a space.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secrets = (process.env.WEBHOOK_SECRET ?? '').split(/\s+/).filter((secret) => secret !== '');
const seen = new Set(); // In production a table with a unique key: it must outlive a restart.

function same(expected, given) {
  const a = Buffer.from(expected);
  const b = Buffer.from(given ?? '');
  return a.length === b.length && timingSafeEqual(a, b);
}

/** X-Webhook-Signature: HMAC-SHA256 of the raw body, keyed with the whole text of the secret. */
export function verifySimple(secret, body, headers) {
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  return same(expected, headers['x-webhook-signature']);
}

/** webhook-signature: Standard Webhooks. It covers the id and the time too: an old request cannot be replayed. */
export function verifyStandard(secret, body, headers) {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const signatures = (headers['webhook-signature'] ?? '').split(' ');
  return signatures.some((signature) => same(`v1,${digest}`, signature));
}

/** Genuine if either signature holds with any of the secrets: so it stays while a secret is rotated. */
export function verify(body, headers) {
  return secrets.some(
    (secret) => verifyStandard(secret, body, headers) || verifySimple(secret, body, headers),
  );
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks); // The bytes as they came: parsed and written again they would differ.
  if (!verify(body, request.headers)) {
    response.writeHead(401).end();
    return;
  }
  const id = request.headers['webhook-id'];
  if (!seen.has(id)) {
    seen.add(id);
    const { event, data } = JSON.parse(body.toString('utf8'));
    console.log(`${id} ${event} ${data.message_id} ${data.status}`); // Store it; work on it after the answer.
  }
  response.writeHead(200).end();
});
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1');
