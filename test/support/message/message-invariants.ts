/** What must hold of every message at the end, whatever went wrong on its way. */

import { recipientSendsMax, recipientWindowSeconds } from '../../../shared/contract/validity.ts';
import { type Message, transitions } from '../../../shared/message/message.ts';
import { paceOf } from '../../../shared/message/slot.ts';
import { deriveCode } from '../../../shared/otp/code.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import type { UsageReader } from '../../../shared/usage/usage-reader.dynamo.ts';
import { interruptedMessage } from '../../../shared/webhook/deliver/post-attempt.ts';
import { receives } from '../../../shared/webhook/endpoints/webhook-endpoint.ts';
import { eventsOf } from '../../../shared/webhook/plan-deliveries.ts';
import { type Gateway, otpSecret } from '../simulation/gateway.ts';
import { attemptOf, type Seen } from '../simulation/outside-calls.ts';
import { compareUsage } from '../usage/compare-usage.ts';
import { legFindings } from './leg-invariants.ts';
import type { MessageClients } from './message-clients.ts';

export interface Findings {
  /** What was counted, for the reader. */
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

interface Ended {
  readonly gateway: Gateway;
  readonly clients: MessageClients;
  readonly usage: UsageReader;
  readonly webhookEndpointIsDead: (clientId: string) => boolean;
  /** Whether its queue refuses the message's webhooks for good. */
  readonly isRefused: (message: Message) => boolean;
  /** How far clocks may be from the true time. */
  readonly skewMaxMs: number;
}

export async function findingsOf(ended: Ended): Promise<Findings> {
  const { gateway, clients, usage, webhookEndpointIsDead, isRefused, skewMaxMs } = ended;
  const violations: string[] = [];
  const counts: Record<string, number> = {};
  const note = (name: string, by = 1): void => {
    counts[name] = (counts[name] ?? 0) + by;
  };
  const messages = gateway.messages.all();

  checkAccepted();
  for (const message of messages) {
    note(`ended ${message.status}`);
    if (!transitions[message.status].final)
      violations.push(`${message.message_id} is left ${message.status}`);
    await checkDeliveries(message);
    if (message.otp !== undefined) checkCode(message);
  }
  checkRecipientLimit();
  note('new messages that the relay never received', gateway.unrelayed.size);
  note('messages with work that a service refused', gateway.refused.size);
  for (const [id, { messageId }] of gateway.refused) {
    const message = messages.find(({ message_id }) => message_id === messageId);
    if (message === undefined || !isRefused(message)) violations.push(`${id} was set aside without a reason`);
  }
  note('stream records that are no message', gateway.unreadable.came.size);
  for (const id of gateway.unreadable.came)
    if (!gateway.unreadable.setAside.has(id)) violations.push(`${id} was not set aside`);
  let owed = 0;
  for (const message of messages) owed += (await destinationsOf(message)).length;
  note('deliveries', gateway.deliveryIds.size);
  if (gateway.deliveryIds.size > owed)
    violations.push(`${gateway.deliveryIds.size} deliveries for ${owed} states`);
  checkDoubled('hand-overs', gateway.handOvers);
  checkDoubled('POSTs', Map.groupBy(gateway.posts, attemptOf));
  checkPaces();
  const legs = legFindings(gateway, skewMaxMs);
  note('legs of fallbacks that started', legs.started);
  note('legs of fallbacks that were not needed', legs.notStarted);
  violations.push(...legs.violations);
  violations.push(...clients.overLimits());
  const compared = await compareUsage(usage, messages);
  note('stream records given to the workers that count usage', gateway.usageRecords());
  note('sums of usage compared with the messages', compared.sums);
  note('cost of the messages in millionths', compared.costMillionths);
  violations.push(...compared.faults);
  return { counts, violations };

  /**
   * Every 202 has its messages. Under a key every 202 has the same and nothing else was stored; without one every 202
   * has others, and no request became two.
   */
  function checkAccepted(): void {
    const stored = new Set(messages.map(({ message_id }) => message_id));
    const byReference = new Map<string, number>();
    // The legs of a send have its reference.
    for (const { reference = '', fallback_of } of messages)
      if (fallback_of === undefined) byReference.set(reference, (byReference.get(reference) ?? 0) + 1);
    for (const [reference, count] of byReference) {
      const allowed = clients.unkeyedRequests.get(reference.split('.')[0] ?? '') ?? 1;
      if (count > allowed) violations.push(`${reference} became ${count} messages`);
    }
    for (const [name, answers] of clients.accepted) {
      const unkeyed = clients.unkeyedRequests.has(name);
      const [first = [], ...repeats] = answers;
      const promised = unkeyed ? answers.flat() : first;
      note('messages promised by a 202', promised.length);
      note(
        unkeyed ? 'requests without a key' : 'repeats after a 202',
        unkeyed ? answers.length : repeats.length,
      );
      for (const id of promised) if (!stored.has(id)) violations.push(`${id}, promised by a 202, is nowhere`);
      if (unkeyed && new Set(promised).size < promised.length)
        violations.push(`${name} was answered with a message twice`);
      for (const again of unkeyed ? [] : repeats)
        if (again.join() !== first.join()) violations.push(`${name} was answered with other messages`);
    }
  }

  /** The carrier got the same code each time, and the row does not contain it. */
  function checkCode({ message_id, text = '', otp }: Message): void {
    if (!text.includes('{{code}}')) violations.push(`${message_id} is stored with its code`);
    const code = deriveCode(otpSecret, otp?.otp_id ?? '', otp?.code_length ?? 0);
    for (const { body } of gateway.handOvers.get(message_id) ?? [])
      if (!body.includes(code)) violations.push(`${message_id} was handed over without its code`);
  }

  /** Clocks that are wrong count other seconds. */
  function checkPaces(): void {
    note('hand-overs of senders with a pace', gateway.pacedHandOvers.length);
    if (skewMaxMs > 0) return;
    const segments = new Map<string, number>();
    for (const { sender, segments: more, at } of gateway.pacedHandOvers) {
      const { places } = paceOf(sender.messages_per_second ?? 0);
      const second = `${sender.identity} in ${at.toISOString().slice(0, 19)}`;
      const before = segments.get(second) ?? 0;
      segments.set(second, before + more);
      // A message of more segments than the pace has a second to itself.
      if (before > 0 && before + more > places) violations.push(`${second}: more than its pace`);
    }
  }

  /** Checks the limit of one client to one recipient in ten minutes, less what two clocks may differ by. */
  function checkRecipientLimit(): void {
    const sends = new Map<string, number[]>();
    for (const { otp, client_id, recipient, created_at, refusal } of messages) {
      if (otp === undefined || refusal !== undefined) continue;
      const to = `${client_id} to ${recipient}`;
      sends.set(to, [...(sends.get(to) ?? []), Date.parse(created_at)]);
    }
    const windowMs = recipientWindowSeconds * 1000 - 2 * skewMaxMs;
    for (const [to, times] of sends) {
      note('one-time passwords', times.length);
      const sorted = times.toSorted((a, b) => a - b);
      const over = sorted.filter((at, i) => at - (sorted[i - recipientSendsMax] ?? 0) < windowMs);
      if (over.length > 0) violations.push(`${to}: more one-time passwords than the limit`);
    }
  }

  /** Lists for each event the message's or account's URL, and the ids of the client's endpoints that receive it. */
  async function destinationsOf(message: Message): Promise<string[][]> {
    const endpoints = await gateway.endpoints.list(message.client_id);
    return eventsOf(message).flatMap(({ event }) => {
      const receiving = endpoints.filter((endpoint) => receives(endpoint, event));
      return [[event], ...receiving.map(({ endpoint_id }) => [event, endpoint_id])];
    });
  }

  async function checkDeliveries(message: Message): Promise<void> {
    for (const destination of await destinationsOf(message)) {
      const delivery = await gateway.deliveries.get(derivedId('whd', message.message_id, ...destination));
      const where = `${message.message_id} ${destination.join(' ')}`;
      // The refused text is in the URL of the message alone.
      if (isRefused(message) && destination.length === 1) {
        if (!gateway.refused.has(message.message_id))
          violations.push(`${where} was refused and not set aside`);
      } else if (delivery === undefined) violations.push(`${where} was never told`);
      else if (delivery.state === 'acknowledged') note('acknowledged');
      else if (delivery.state !== 'failed') violations.push(`${where} is left ${delivery.state}`);
      else {
        const interrupted = delivery.attempts.some(
          ({ error_message }) => error_message === interruptedMessage,
        );
        const explained = delivery.attempts.every(({ error }) => error !== undefined);
        if (webhookEndpointIsDead(message.client_id)) note('failed at a dead endpoint');
        else if (interrupted) note('failed after an attempt that three workers died with');
        else violations.push(`${where} failed although its endpoint would have accepted it`);
        if (!explained || delivery.alert_pending) violations.push(`${where} failed and nobody was told why`);
      }
    }
  }

  /**
   * Whatever happened twice is excused by what no sender can rule out: a process that died, or never heard, between the
   * call and the record of its outcome; or a clock so far ahead that a living claim looked dead.
   */
  function checkDoubled(what: string, ledger: ReadonlyMap<string, readonly Seen[]>): void {
    for (const [key, seen] of ledger) {
      note(what, seen.length);
      for (const [index, next] of seen.slice(1).entries()) {
        const earlier = seen[index];
        if (earlier === undefined) continue;
        const { process, overtaken, claimedAtMs, leaseMs, settled } = earlier.claim;
        if (process.ended === undefined && !settled) note(`${what} doubled by a death`);
        else if (earlier.unknown) note(`${what} doubled by a lost response`);
        else if (skewMaxMs > 0 && (overtaken || next.claim.claimedAtMs < claimedAtMs + leaseMs))
          note(`${what} doubled by clocks further apart than the lease`);
        else violations.push(`${key}: one of the ${what} was doubled`);
      }
    }
  }
}
