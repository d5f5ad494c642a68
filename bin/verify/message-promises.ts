/** Promises about messages: sent once, at their time or not at all, one-time passwords, and counted to the last one. */
import { randomInt, randomUUID } from 'node:crypto';
import type { StagePromise } from './promise.ts';
import {
  lateMsOf,
  localLateSeconds,
  type Response,
  type VerifiedStage,
  type Visitor,
  waitFor,
} from './verified-stage.ts';

const sendPath = '/api/v1/sms/send';
const statusPath = '/api/v1/sms/status';
const otpPath = '/api/v1/otp';

/** A number of the range that Ofcom keeps for drama: it is nobody's. */
const nobodysNumber = (): string => `+447700900${String(randomInt(1000)).padStart(3, '0')}`;

function idOf({ status, body }: Response): string {
  if (typeof body.message_id !== 'string')
    throw new Error(`the message was not taken: ${status} ${String(body.error)}`);
  return body.message_id;
}

export async function send(
  visitor: Visitor,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return idOf(
    await visitor.call('POST', sendPath, { body: { to: nobodysNumber(), message: 'Verify', ...fields } }),
  );
}

/** The texts that the simulated carrier was given for a recipient, the newest first. */
async function textsFor(visitor: Visitor, recipient: string): Promise<readonly string[]> {
  const { body } = await visitor.call('GET', `/api/v1/test/outbox?to=${encodeURIComponent(recipient)}`);
  return ((body.messages ?? []) as readonly { readonly body: string }[]).map((message) => message.body);
}

/** The time at which a message entered a state; undefined where it had not when the wait ended. */
function enteredAt(
  stage: VerifiedStage,
  visitor: Visitor,
  id: string,
  state: 'sent_at' | 'delivered_at',
  seconds: number,
): Promise<Date | undefined> {
  return waitFor(stage, seconds, async () => {
    const at = (await visitor.call('GET', `${statusPath}/${id}`)).body[state];
    return typeof at === 'string' ? new Date(at) : undefined;
  });
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const deliveredWithinSeconds = 30;
/** A send takes a minute ahead at least, when the request arrives. */
const scheduledAheadSeconds = 90;
const scheduledLateMs = 5000;
/** Long enough that the message is still scheduled when it is canceled, whatever the clocks say. */
const canceledAheadSeconds = 3600;
const repeats = 8;
const limit = 20;
/** An edit is in force within this time (contract 4). */
const inForceSeconds = 60;

export const messagePromises: readonly StagePromise[] = [
  {
    title: 'A message passes the gateway and its receipt comes back',
    threshold: `sent and delivered within ${deliveredWithinSeconds} s`,
    remedy: 'docs/operate.md, the runbooks on old messages and on a relay that is behind.',
    async measure(stage) {
      const visitor = await stage.newVisitor('checks');
      const begun = stage.now().getTime();
      const id = await send(visitor);
      const delivered = await enteredAt(stage, visitor, id, 'delivered_at', deliveredWithinSeconds);
      return delivered === undefined
        ? { measured: `not delivered within ${deliveredWithinSeconds} s`, holds: false }
        : { measured: `delivered after ${seconds(delivered.getTime() - begun)}`, holds: true };
    },
  },
  {
    title: 'A scheduled message goes out at its time',
    threshold: `never early, at most ${seconds(scheduledLateMs)} late (${localLateSeconds} s on this machine)`,
    remedy:
      'docs/operate.md, the runbook on old messages: look at expire-messages, which queues scheduled messages.',
    async measure(stage) {
      const visitor = await stage.newVisitor('checks');
      const due = new Date(stage.now().getTime() + scheduledAheadSeconds * 1000);
      const id = await send(visitor, { scheduled_at: due.toISOString() });
      const sent = await enteredAt(stage, visitor, id, 'sent_at', scheduledAheadSeconds + 60);
      if (sent === undefined) return { measured: 'not sent a minute after its time', holds: false };
      const lateMs = sent.getTime() - due.getTime();
      return {
        measured: lateMs < 0 ? `${seconds(-lateMs)} early` : `${seconds(lateMs)} late`,
        holds: lateMs >= 0 && lateMs <= lateMsOf(stage, scheduledLateMs),
      };
    },
  },
  {
    title: 'A scheduled message that is canceled stays canceled',
    threshold: 'canceled, also when it is asked again',
    remedy: 'Report it: a canceled message must never be handed over.',
    async measure(stage) {
      const visitor = await stage.newVisitor('checks');
      const due = new Date(stage.now().getTime() + canceledAheadSeconds * 1000);
      const id = await send(visitor, { scheduled_at: due.toISOString() });
      const canceled = await visitor.call('DELETE', `/api/v1/messages/${id}`);
      const { body } = await visitor.call('GET', `${statusPath}/${id}`);
      return {
        measured: `${canceled.status} ${String(canceled.body.status ?? canceled.body.error)}, then ${String(body.status)}`,
        holds: canceled.status === 200 && body.status === 'canceled',
      };
    },
  },
  {
    title: 'Requests with one idempotency key make one message',
    threshold: `one message for ${repeats} requests at once`,
    remedy: 'Report it: two messages for one key are sent and charged twice.',
    async measure(stage) {
      const visitor = await stage.newVisitor('checks');
      const request = {
        body: { to: nobodysNumber(), message: 'Verify' },
        headers: { 'Idempotency-Key': randomUUID() },
      };
      const taken = async (): Promise<string> => {
        const response = await waitFor(stage, 30, async () => {
          const answer = await visitor.call('POST', sendPath, request);
          return answer.status === 409 ? undefined : answer;
        });
        if (response === undefined) throw new Error('still 409 after 30 s');
        return idOf(response);
      };
      const ids = new Set(await Promise.all(Array.from({ length: repeats }, taken)));
      return { measured: `${ids.size} for ${repeats} requests`, holds: ids.size === 1 };
    },
  },
  {
    title: 'A one-time password is accepted once, and a wrong one never',
    threshold: 'wrong: false; right: true; again: 409',
    remedy: 'Report it, and turn off one-time passwords meanwhile.',
    async measure(stage) {
      const visitor = await stage.newVisitor('checks');
      const to = nobodysNumber();
      const sent = await visitor.call('POST', `${otpPath}/send`, { body: { to } });
      const otp_id = String(sent.body.otp_id);
      const code = await waitFor(stage, deliveredWithinSeconds, async () =>
        (await textsFor(visitor, to))
          .map((text) => /\b\d{6}\b/.exec(text)?.[0])
          .find((found) => found !== undefined),
      );
      if (code === undefined)
        return { measured: `no code: ${sent.status} ${String(sent.body.error ?? '')}`, holds: false };
      const verify = async (tried: string) =>
        visitor.call('POST', `${otpPath}/verify`, { body: { otp_id, code: tried } });
      const wrong = await verify(String((Number(code) + 1) % 1_000_000).padStart(6, '0'));
      const right = await verify(code);
      const again = await verify(code);
      return {
        measured: `wrong: ${String(wrong.body.verified)}; right: ${String(right.body.verified)}; again: ${again.status}`,
        holds: wrong.body.verified === false && right.body.verified === true && again.status === 409,
      };
    },
  },
  {
    title: 'A limit of a minute admits exactly its number of parallel requests',
    threshold: `${limit} of ${2 * limit}`,
    remedy: 'Report it: a limit that admits more protects nothing.',
    async measure(stage) {
      // The other promises would use up its limit.
      const visitor = await stage.newVisitor('limits');
      const path = '/api/v1/account';
      await visitor.limitPerMinute(`GET ${path}`, limit);
      const limitShown = async () =>
        Number((await visitor.call('GET', path)).headers.get('x-ratelimit-limit'));
      const isInForce = await waitFor(stage, inForceSeconds + 10, async () => {
        await stage.pause(1000);
        return (await limitShown()) === limit || undefined;
      });
      if (isInForce === undefined)
        return { measured: `the limit is not in force after ${inForceSeconds} s`, holds: false };
      // All requests must be of one minute, which none before them has used.
      await stage.pause(60_000 - (stage.now().getTime() % 60_000) + 500);
      const answers = await Promise.all(Array.from({ length: 2 * limit }, () => visitor.call('GET', path)));
      const [admitted = 0, refused = 0] = [200, 429].map(
        (status) => answers.filter((one) => one.status === status).length,
      );
      // Each of these may have been counted or not, so that they can hide a missing one, but never one too many.
      const unanswered = answers.length - admitted - refused;
      return {
        measured: `${admitted} of ${answers.length}, ${refused} are 429, ${unanswered} had no answer`,
        holds: admitted <= limit && admitted + unanswered >= limit,
      };
    },
  },
];
