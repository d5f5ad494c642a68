/** A client whose endpoint was down while its messages were sent and delivered, in the simulated world. */
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { interruptedMessage } from '../../../shared/webhook/deliver/sign-and-post.ts';
import type { ResendRequest } from '../../../shared/webhook/log/request-resend.ts';
import type { Resend } from '../../../shared/webhook/log/resend.ts';
import { aMessage, aSentMessage, created } from '../message/example-message.ts';
import { simulatedGateway } from '../simulation/gateway.ts';
import type { Post } from '../simulation/outside-calls.ts';
import type { Fault } from '../simulation/processes.ts';
import type { WorldOptions } from '../simulation/world.ts';

/** Clocks may be behind. */
const beforeTheFirst = addSeconds(created, -10);
/** Six attempts take 7 h 13 min. */
const untilFailedSeconds = 27_000;
/** No webhook has had its sixth attempt. */
const beforeFailedSeconds = 25_900;

interface OutageOptions extends Partial<Omit<WorldOptions, 'startAt'>> {
  readonly messages: number;
  /** Deliveries that fail after the outage, too. */
  readonly stillRefused?: (deliveryId: string) => boolean;
  /** The workers of each lane; by default as many as there are messages. */
  readonly workers?: NonNullable<Parameters<typeof simulatedGateway>[0]['workers']>;
  /** How long the endpoint takes to answer; other clients' endpoints answer at once. */
  readonly answerMs?: number;
  /** Whether the outage is over at the moment at which the last webhook has failed, and not minutes after it. */
  readonly endsAtOnce?: boolean;
  readonly lagMs?: () => number;
  readonly deliveriesThrough?: NonNullable<Parameters<typeof simulatedGateway>[0]['deliveriesThrough']>;
}

/** Faults begin with the recovery, so that every webhook has failed before. */
export async function afterAnOutage({
  messages,
  stillRefused,
  fault,
  copies,
  answerMs = 20,
  endsAtOnce = false,
  ...world
}: OutageOptions) {
  let isDown = true;
  let isFaulty = false;
  const gateway = simulatedGateway({
    ...world,
    startAt: created,
    fault: (...call): Fault | undefined => (isFaulty ? fault?.(...call) : undefined),
    copies: (queue) => (isFaulty ? (copies?.(queue) ?? 1) : 1),
    answer: (deliveryId, _postNumber, clientId) => ({
      afterMs: clientId === 'client-a' ? answerMs : 20,
      status: isDown || stillRefused?.(deliveryId) === true ? 500 : 200,
    }),
  });
  for (let index = 0; index < messages; index += 1) {
    const message_id = `msg_01KAG0000000000000000${String(10_000 + index)}`;
    const at = addSeconds(created, index / 10);
    const times: Partial<Message> = { message_id, created_at: at.toISOString() };
    const sent = aSentMessage({ ...times, sent_at: addSeconds(at, 0.5).toISOString() });
    const delivered_at = addSeconds(at, 0.6).toISOString();
    gateway.messages.put(aMessage(times), sent);
    gateway.messages.put(sent, { ...sent, status: 'delivered', delivered_at });
  }
  await gateway.run(endsAtOnce ? beforeFailedSeconds : untilFailedSeconds);
  while (gateway.failuresReported.length < 2 * messages) await gateway.run(0.1);
  const before = gateway.posts.length;
  return {
    gateway,
    recover: () => {
      isDown = false;
      isFaulty = true;
    },
    endFaults: () => {
      isFaulty = false;
    },
    request: (request: Partial<ResendRequest> = {}): Promise<Resend> =>
      gateway.invoke(20, (process) =>
        gateway.functionsOf(process).requestResend('client-a', { since: beforeTheFirst, ...request }),
      ),
    /** What was posted after the outage. */
    resent: (): readonly Post[] => gateway.posts.slice(before),
  };
}

/**
 * Resends everything while processes die and calls fail, with a client that repeats its request. What is wrong in the end:
 * a delivery that was left out, resent twice, posted twice without a death or a lost response, or before an earlier event
 * of its message.
 */
export async function resendWithFaults(options: OutageOptions): Promise<readonly string[]> {
  // One that fails again must not be resent again.
  const stillRefused = (id: string): boolean => /[0-9]$/.test(id);
  const { gateway, recover, endFaults, request, resent } = await afterAnOutage({ ...options, stillRefused });
  recover();
  const wanted = { until: addSeconds(created, 3600) };
  void request(wanted).catch(() => undefined);
  await gateway.run(60);
  void request(wanted).catch(() => undefined);
  await gateway.run(600);
  endFaults();
  const last = request(wanted);
  await gateway.run(1500 + options.messages);
  const { resend_id } = await last;
  const violations: string[] = [];
  const ended = await gateway.resends.get(resend_id);
  if (ended?.status !== 'completed') violations.push(`${resend_id} is left ${ended?.status}`);
  if (gateway.deliveryIds.size !== 2 * options.messages) violations.push('a delivery is nowhere');
  for (const id of gateway.deliveryIds) {
    const { state, attempts = [] } = (await gateway.deliveries.get(id)) ?? {};
    const manual = attempts.filter(({ trigger }) => trigger === 'manual');
    const interrupted = attempts.at(-1)?.error_message === interruptedMessage;
    if (state !== (stillRefused(id) || interrupted ? 'failed' : 'acknowledged'))
      violations.push(`${id} is left ${state}`);
    if (manual.length !== 1) violations.push(`${id} was resent ${manual.length} times`);
  }
  for (const [id, posts] of Map.groupBy(resent(), ({ deliveryId }) => deliveryId))
    for (const { claim, unknown } of posts.slice(0, -1))
      if (claim.settled && !unknown) violations.push(`${id} was posted twice`);
  for (const [messageId, events] of eventsByMessage(resent()))
    if (events.lastIndexOf('sms.sent') > events.indexOf('sms.delivered'))
      violations.push(`${messageId}: ${events.join(', ')}`);
  return violations;
}

/** The events that were posted for each message, in their order. */
export function eventsByMessage(posts: readonly Post[]): Map<string, string[]> {
  const events = new Map<string, string[]>();
  for (const { body } of posts) {
    const { event, data } = JSON.parse(body) as { event: string; data: { message_id: string } };
    events.set(data.message_id, [...(events.get(data.message_id) ?? []), event]);
  }
  return events;
}
