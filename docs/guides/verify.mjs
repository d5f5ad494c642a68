// Receives webhooks on PORT. Node 20 or later, nothing else.
// WEBHOOK_SECRET is one secret, or during a rotation the old and the new one, separated by a space.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const bodyBytesMax = 1 << 20;
const secrets = (process.env.WEBHOOK_SECRET ?? '').split(/\s+/).filter((secret) => secret !== '');
const seen = new Set(); // In production, use a table with a unique key, which outlives a restart.

function same(expected, given) {
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}

/** webhook-signature: Standard Webhooks. It covers the id and the time too: an old request cannot be replayed. */
function verifyWith(secret, body, headers) {
  const id = headers['webhook-id'] ?? '';
  const timestamp = headers['webhook-timestamp'] ?? '';
  if (id === '' || !/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const signatures = (headers['webhook-signature'] ?? '').split(' ');
  return signatures.some((signature) => same(`v1,${digest}`, signature));
}

/** Whether the signature is valid with any of the secrets, so that webhooks are accepted during a rotation. */
export function verify(body, headers) {
  return secrets.some((secret) => verifyWith(secret, body, headers));
}

/** Reads the body's bytes as received: JSON that is parsed and written again can differ. Undefined if it is too large. */
async function bodyOf(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const server = createServer(async (request, response) => {
  const body = await bodyOf(request).catch(() => undefined); // The caller may close the connection.
  if (body === undefined || !verify(body, request.headers)) {
    response.writeHead(401, { Connection: 'close' }).end();
    return;
  }
  const id = request.headers['webhook-id'];
  if (!seen.has(id)) {
    const { event, data } = JSON.parse(body.toString('utf8'));
    // Store it here, and process it after the response. Events differ in their fields: those of opt-outs have no status.
    console.log([id, event, data.message_id, data.status].filter((part) => part !== undefined).join(' '));
    seen.add(id); // Last, so that an event whose storing fails is not lost: its webhook comes again.
  }
  response.writeHead(200).end();
});
server.requestTimeout = 10_000; // A caller may send less than it announced.
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1');
