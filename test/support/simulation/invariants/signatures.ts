/** A receiver that follows the guide can verify each webhook (contract 7.4 to 7.6). */
import { createHmac } from 'node:crypto';
import { settingsIdOf } from '../../../../shared/contract/mode.ts';
import type { Posted } from '../outside/record.ts';
import type { Ended } from './ended.ts';
import { timeOf } from './invariant.ts';

/** A secret that a client was given. It signs until 24 h after the next one. */
interface GivenSecret {
  readonly clientId: string;
  /** Undefined for the URLs of the account and of requests. */
  readonly endpointId: string | undefined;
  /** Undefined if the response was lost. Nobody can then verify with this secret, but it still ends the one before. */
  readonly secret: string | undefined;
  readonly askedAtMs: number;
  readonly fromMs: number;
}

/** 24 h, less what a rotation takes. */
const overlapMs = 86_340_000;

/** Between two rotations of a secret at least. */
const skewOfOrderMs = 1000;

export function signatureViolations({ stage: { record }, scene, plan }: Ended): readonly string[] {
  const given: GivenSecret[] = scene.clients.map(({ clientId, webhookSecret }) => ({
    ...{ clientId, endpointId: undefined, secret: webhookSecret, askedAtMs: 0, fromMs: 0 },
  }));
  const endpointOf = new Map<string, string>();
  for (const {
    route,
    status = 0,
    body,
    answer,
    path,
    clientId,
    atMs: askedAtMs,
    answeredAtMs = 0,
  } of record.asked) {
    const fromMs = Math.max(answeredAtMs, Date.parse(answer?.active_at ?? '') || 0);
    const endpointId: string | undefined = answer?.endpoint_id;
    // A creation whose response was lost gave out no secret of its endpoint.
    if (route === 'createWebhookEndpoint' && status >= 500)
      endpointOf.set(String(Reflect.get(Object(body), 'url')), 'unknown');
    if (route === 'createWebhookEndpoint' && status === 201 && endpointId !== undefined) {
      endpointOf.set(answer.url, endpointId);
      given.push({ clientId, endpointId, secret: answer.secret, askedAtMs, fromMs });
    }
    const isRotated = status === 200 || status >= 500;
    if (route === 'rotateWebhookEndpointSecret' && isRotated) {
      const rotated = path.split('/').at(-2);
      given.push({ clientId, endpointId: rotated, secret: answer?.secret, askedAtMs, fromMs });
    }
    if (route === 'rotateWebhookSecret' && isRotated)
      given.push({ clientId, endpointId: undefined, secret: answer?.webhook_secret, askedAtMs, fromMs });
  }
  // The clocks of who rotates and of who signs may differ.
  const endMs = ({ clientId, endpointId, askedAtMs }: GivenSecret): number => {
    const later = given.filter(
      (one) => one.clientId === clientId && one.endpointId === endpointId && one.askedAtMs > askedAtMs,
    );
    return Math.min(...later.map((one) => one.fromMs)) + overlapMs - 2 * plan.skewMaxMs;
  };
  return record.posted.flatMap((posted) => {
    const endpointId = endpointOf.get(posted.url);
    const live = given
      .filter(
        (one) =>
          one.clientId === settingsIdOf(String(posted.event.data.client_id)) &&
          one.endpointId === endpointId &&
          one.fromMs < posted.atMs - plan.skewMaxMs - 1000 &&
          posted.atMs < endMs(one),
      )
      .toSorted((a, b) => a.fromMs - b.fromMs);
    const what = `${posted.webhookId} to ${posted.url} at ${timeOf(posted.atMs)}`;
    return [
      ...live
        .filter(({ secret }) => secret !== undefined && !isSignedWith(posted, secret))
        .map(({ fromMs }) => `${what} is not signed with the secret given out at ${timeOf(fromMs)}`),
      ...live
        // The clocks of the processes that rotated decide which secret is the oldest.
        .slice(plan.skewMaxMs > skewOfOrderMs ? live.length : 1)
        .filter(({ secret }) => secret !== undefined && isPlainlySignedWith(posted, secret))
        .map(() => `${what} has an X-Webhook-Signature of a newer secret than the oldest that signs`),
    ];
  });
}

function isSignedWith({ webhookId, headers, body }: Posted, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${webhookId}.${headers['webhook-timestamp']}.${body}`;
  const signature = createHmac('sha256', key).update(signed).digest('base64');
  return (headers['webhook-signature'] ?? '').split(' ').includes(`v1,${signature}`);
}

function isPlainlySignedWith({ headers, body }: Posted, secret: string): boolean {
  return headers['x-webhook-signature'] === createHmac('sha256', secret).update(body).digest('hex');
}
