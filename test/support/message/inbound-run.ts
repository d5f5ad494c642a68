/**
 * One simulated run of people who answer while clients write to them: texts, STOP and START, each notified once to three
 * times, in any order. The same seed gives the same run.
 */
import { inboundNotification } from '../../../shared/carrier/simulator/simulated-inbound.ts';
import { claimSeconds } from '../../../shared/contract/hand-over-times.ts';
import { type Message, transitions } from '../../../shared/message/message.ts';
import { unassignedClientId } from '../../../shared/message/receive/find-owner.ts';
import { inboundIdOf } from '../../../shared/message/receive/receive-message.ts';
import { derivedId } from '../../../shared/platform/ids.ts';
import { eventsOf } from '../../../shared/webhook/plan-deliveries.ts';
import { randomFrom } from '../doubles/seeded-random.ts';
import { type Gateway, type StoredChange, simulatedGateway } from '../simulation/gateway.ts';
import { usualFaults } from '../simulation/usual-faults.ts';
import { ourNumber } from './inbound.ts';

interface RunSettings {
  readonly seed: number;
  /** How many messages the clients send, and how many they get. */
  readonly total: number;
  readonly skewMaxMs: number;
}

interface InboundRun {
  readonly violations: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
}

const startMs = Date.parse('2026-11-20T08:00:00.000Z');
const hourMs = 3_600_000;
/** An hour of messages, retries of webhooks that are refused once, and what faults add. */
const horizonSeconds = 8 * 3600;
const clientIds = ['client-a', 'client-b', 'client-c'];
const messagesPerPerson = 12;
const texts = ['Hello', 'STOP', ' stop!', 'START', 'Unstop', 'Stop it', '\u{1F44D}'];

export async function runInbound({ seed, total, skewMaxMs }: RunSettings): Promise<InboundRun> {
  const random = randomFrom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const people = Array.from(
    { length: Math.max(3, Math.ceil(total / messagesPerPerson)) },
    (_, index) => `+4477009${String(index).padStart(5, '0')}`,
  );
  const gateway = simulatedGateway({
    ...usualFaults(random, skewMaxMs),
    startAt: new Date(startMs),
    clientIds,
    accountUrlOf: (clientId) => `https://${clientId}.example.com/hook`,
    answer: (_id, postNumber) => ({ afterMs: 20 + random() * 400, status: postNumber === 1 ? 500 : 200 }),
  });
  const at = (ms: number, act: () => void) => void gateway.world.time.sleep(ms).then(act);
  for (let index = 0; index < total; index += 1) {
    const sentMs = random() * hourMs;
    const message = outbound(index, pick(clientIds), pick(people), startMs + sentMs, random);
    at(sentMs, () => void gateway.messages.create(message));
  }
  const inboundIds: string[] = [];
  for (let index = 0; index < total; index += 1) {
    const receivedMs = Math.round(random() * hourMs);
    const body = inboundNotification({
      channel: 'sms',
      from: pick(people),
      to: ourNumber,
      text: pick(texts),
      id: `inbound-${index}`,
      at: new Date(startMs + receivedMs),
    });
    inboundIds.push(inboundIdOf({ channel: 'sms', carrierMessageId: `inbound-${index}` }));
    const repeats = Math.floor(random() * 3);
    at(receivedMs, () => gateway.world.put('receipts', body));
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      at(receivedMs + random() * 600_000, () => gateway.world.put('receipts', body));
    }
  }
  await gateway.run(horizonSeconds);
  const { violations, counts } = await inboundFindings(gateway, inboundIds);
  return { violations, counts, faults: gateway.world.processes.counted };
}

function outbound(
  index: number,
  client_id: string,
  recipient: string,
  atMs: number,
  random: () => number,
): Message {
  const created_at = new Date(atMs).toISOString();
  const isScheduled = random() < 0.3;
  const later = new Date(atMs + 60_000 + random() * hourMs).toISOString();
  return {
    message_id: `msg_out_${index}`,
    client_id,
    channel: 'sms',
    status: isScheduled ? 'scheduled' : 'queued',
    recipient,
    type: 'transactional',
    text: 'Hello',
    encoding: 'GSM-7',
    segments: 1,
    created_at,
    ...(isScheduled ? { scheduled_at: later } : { queued_at: created_at }),
    expires_at: new Date(atMs + 6 * hourMs).toISOString(),
  };
}

/** Checks the invariants at the end; `counts` says how often each was checked. */
async function inboundFindings(gateway: Gateway, inboundIds: readonly string[]) {
  const violations: string[] = [];
  const counts: Record<string, number> = {};
  const note = (what: string): void => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const rows = gateway.messages.all();
  const received = new Map(rows.filter(({ direction }) => direction === 'inbound').map(byId));
  for (const id of inboundIds) if (!received.has(id)) violations.push(`${id} was lost`);
  const originals = [...received.values()].filter(({ copy_of }) => copy_of === undefined);
  if (originals.length > inboundIds.length) violations.push('a repeated notification became another message');
  for (const message of received.values()) await checkEvents(message);
  for (const message of rows) {
    if (!transitions[message.status].final)
      violations.push(`${message.message_id} is left ${message.status}`);
    if (message.suppressed === true) note('failed because the recipient opted out');
  }
  await checkWishes();
  checkHandOvers();
  return { violations, counts };

  /** Each is reported to the client once acknowledged. */
  async function checkEvents(message: Message): Promise<void> {
    if (message.client_id === unassignedClientId) {
      note('of nobody');
      return;
    }
    for (const { event } of eventsOf(message)) {
      const delivery = await gateway.deliveries.get(derivedId('whd', message.message_id, event));
      note(event);
      if (delivery?.state !== 'acknowledged')
        violations.push(`${message.message_id} ${event} was never told`);
    }
  }

  /** The newest word of a person to a client counts, whatever order the notifications came in. */
  async function checkWishes(): Promise<void> {
    const newest = new Map<string, Message>();
    for (const message of received.values()) {
      if (message.opt_keyword === undefined || message.client_id === unassignedClientId) continue;
      const key = `${message.client_id} ${message.recipient}`;
      const known = newest.get(key);
      if (known === undefined || known.created_at < message.created_at) newest.set(key, message);
    }
    for (const [key, { client_id, recipient, opt_keyword }] of newest) {
      note('last wishes');
      const isSuppressed = (await gateway.suppressions.get(client_id, recipient)) !== undefined;
      if (isSuppressed !== (opt_keyword === 'opt_out'))
        violations.push(`${key}: the last word is ${opt_keyword}`);
    }
  }

  /** Nobody is sent to who was suppressed when the hand-over began, and until it ended. */
  function checkHandOvers(): void {
    const changes = Map.groupBy(gateway.suppressionChanges, keyOf);
    for (const message of rows) {
      for (const { claim } of gateway.handOvers.get(message.message_id) ?? []) {
        note('hand-overs');
        const own = changes.get(keyOf(message)) ?? [];
        const before = own.findLast(({ atMs }) => atMs < claim.claimedAtMs);
        const isEnded = own.some(
          ({ atMs, isSuppressed }) =>
            !isSuppressed && atMs >= claim.claimedAtMs && atMs <= claim.claimedAtMs + claimSeconds * 1000,
        );
        if (before?.isSuppressed === true && !isEnded)
          violations.push(`${message.message_id} was sent after STOP`);
      }
    }
  }
}

function byId(message: Message): [string, Message] {
  return [message.message_id, message];
}

function keyOf({ client_id, recipient }: Pick<StoredChange, 'client_id' | 'recipient'>): string {
  return `${client_id} ${recipient}`;
}
