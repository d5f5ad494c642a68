/** Promises about webhooks: signed, and retried at the promised time. */
import { createHmac } from 'node:crypto';
import { retryDelaysSeconds } from '../../shared/webhook/delivery.ts';
import { send } from './message-promises.ts';
import type { StagePromise } from './promise.ts';
import { lateMsOf, localLateSeconds, type Visitor, waitFor } from './verified-stage.ts';

const endpointsPath = '/api/v1/webhook-endpoints';
const deliveriesPath = '/api/v1/webhook-deliveries';

/** Gives the client an endpoint for one message, and deletes it: what would be retried later is withdrawn with it. */
async function withEndpoint<Found>(
  visitor: Visitor,
  url: string,
  use: (endpoint: { readonly endpointId: string; readonly secret: string }) => Promise<Found>,
): Promise<Found> {
  const { status, body } = await visitor.call('POST', endpointsPath, { body: { url, events: ['sms.sent'] } });
  if (typeof body.endpoint_id !== 'string') throw new Error(`no endpoint: ${status} ${String(body.message)}`);
  try {
    return await use({ endpointId: body.endpoint_id, secret: String(body.secret) });
  } finally {
    await visitor.call('DELETE', `${endpointsPath}/${body.endpoint_id}`);
  }
}

interface Attempt {
  readonly due_at: string;
  readonly ended_at: string;
  readonly lateness_ms: number;
}

/** The attempts of the only delivery of an endpoint. */
async function attemptsOf(visitor: Visitor, endpointId: string): Promise<readonly Attempt[]> {
  const listed = await visitor.call('GET', `${deliveriesPath}?endpoint_id=${endpointId}`);
  const [delivery] = (listed.body.webhook_deliveries ?? []) as readonly { readonly delivery_id: string }[];
  if (delivery === undefined) return [];
  const shown = await visitor.call('GET', `${deliveriesPath}/${delivery.delivery_id}`);
  return (shown.body.attempt_log ?? []) as readonly Attempt[];
}

const [firstRetrySeconds] = retryDelaysSeconds;
const lateMs = 2000;
const receivedWithinSeconds = 30;

export const webhookPromises: readonly StagePromise[] = [
  {
    title: 'A failed webhook is retried at its time',
    threshold: `${firstRetrySeconds} s after the failed attempt, never early, at most ${lateMs / 1000} s late (${localLateSeconds} s on this machine)`,
    remedy: 'docs/operate.md, the runbook on old messages: look at deliver-webhook and its queues.',
    async measure(stage) {
      const visitor = await stage.newVisitor('checks');
      // The gateway's own address answers with 404, which is no acknowledgement.
      const attempts = await withEndpoint(visitor, `${stage.baseUrl}/nowhere`, async ({ endpointId }) => {
        await send(visitor);
        return waitFor(stage, firstRetrySeconds + 60, async () => {
          const made = await attemptsOf(visitor, endpointId);
          return made.length > 1 ? made : undefined;
        });
      });
      const [first, second] = attempts ?? [];
      if (first === undefined || second === undefined) return { measured: 'no retry came', holds: false };
      const delayMs = Date.parse(second.due_at) - Date.parse(first.ended_at);
      // On this machine retries may be made sooner (`npm start -- --time-scale`).
      const isDelayed = stage.isLocal || Math.abs(delayMs - firstRetrySeconds * 1000) <= 1000;
      return {
        measured: `due ${(delayMs / 1000).toFixed(1)} s after the failed attempt, ${second.lateness_ms} ms late`,
        holds: isDelayed && second.lateness_ms >= 0 && second.lateness_ms <= lateMsOf(stage, lateMs),
      };
    },
  },
  {
    title: 'A webhook is signed with the secret of its endpoint',
    threshold: 'the signature of the received bytes',
    remedy: 'docs/webhooks.md; rotate the secret of an endpoint whose signatures do not verify.',
    async measure(stage) {
      const { receiver } = stage;
      if (receiver === undefined)
        return { notApplicable: 'no address at which to receive: --webhook-url and --listen' };
      const visitor = await stage.newVisitor('checks');
      return withEndpoint(visitor, receiver.url, async ({ secret }) => {
        const id = await send(visitor);
        const received = await waitFor(stage, receivedWithinSeconds, async () =>
          receiver.received.find(({ body }) => body.includes(id)),
        );
        const nothing = `nothing came to ${receiver.url} within ${receivedWithinSeconds} s`;
        if (received === undefined) return { measured: nothing, holds: false };
        const { headers, body } = received;
        const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
        const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
        const wanted = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
        const matches = (headers['webhook-signature'] ?? '').split(' ').includes(wanted);
        return { measured: matches ? 'it verifies' : 'it does not verify', holds: matches };
      });
    },
  },
];
