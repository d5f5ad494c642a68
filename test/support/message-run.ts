/** One run of the whole road: who sends what, to whom, and how long it lasts; all of it told by the seed. */
import type { MessageStore } from '../../shared/message/message-store.ts';
import { faultyProcesses } from './faulty-process.ts';
import { type Intent, messageClients } from './message-clients.ts';
import { type Findings, findingsOf } from './message-invariants.ts';
import { messageWorld } from './message-world.ts';
import { randomFrom } from './seeded-random.ts';
import { virtualTime } from './virtual-time.ts';

export interface RunSettings {
  readonly seed: number;
  /** How many messages the clients want sent. */
  readonly total: number;
  /** How far a clock may be from the true time. */
  readonly skewMaxMs: number;
  /** What the functions get for the messages table, where it is to be a broken one. */
  readonly broken?: (store: MessageStore) => MessageStore;
}

export interface Run extends Findings {
  readonly messages: number;
  readonly calls: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
  readonly deadLetters: Readonly<Record<string, number>>;
}

const startMs = Date.parse('2026-11-20T08:00:00.000Z');
const hourMs = 3_600_000;
/** The longest way: two hours until sent, three until expired, eight of retries, and what faults add. */
const horizonMs = startMs + 30 * hourMs;
const messagesPerClient = 250;
const rowsPerBulk = 20;
/** Numbers to which the simulated carrier does something out of the ordinary. */
const oddRecipients = 7;

export async function runMessages({ seed, total, skewMaxMs, broken }: RunSettings): Promise<Run> {
  const random = randomFrom(seed);
  const time = virtualTime(startMs);
  const world = { time, random, processes: faultyProcesses(time, random, skewMaxMs) };
  const clientCount = Math.max(3, Math.ceil(total / messagesPerClient));
  const clientIds = Array.from({ length: clientCount }, (_, index) => `client-${index}`);
  const refusals = new Map<string, number>();

  const road = messageWorld(world, {
    ...(broken === undefined ? {} : { broken }),
    accountUrlOf: (clientId) => `https://${clientId}.example.com/hook`,
    refusalsOf(deliveryId, clientId) {
      if (receiverIsDead(clientId)) return Number.POSITIVE_INFINITY;
      const known = refusals.get(deliveryId) ?? (random() < 0.8 ? 0 : 1 + Math.floor(random() * 5));
      refusals.set(deliveryId, known);
      return known;
    },
  });
  const clients = messageClients(world, road);
  for (const intent of intents(total, clientIds, random)) clients.send(intent);
  await time.runUntil(horizonMs);

  return {
    ...(await findingsOf(road, clients, receiverIsDead, skewMaxMs > 0)),
    messages: road.messages.all().length,
    calls: world.processes.calls(),
    faults: world.processes.counted,
    answers: clients.answers,
    deadLetters: {
      outbound: road.queues.outbound.deadLetters.length,
      receipts: road.queues.receipts.deadLetters.length,
    },
  };
}

const receiverIsDead = (clientId: string): boolean => Number(clientId.slice(7)) % 8 === 2;

/** Three fifths one by one, most of them in bursts above the limit of a minute, the others in bulk; over an hour. */
function* intents(total: number, clientIds: readonly string[], random: () => number): Generator<Intent> {
  let left = total;
  for (let index = 0; left > 0; index += 1) {
    const clientId = clientIds[index % clientIds.length] ?? '';
    const key = `intent-${index}`;
    const burst = random() < 0.6;
    const atMs = startMs + (burst ? 600_000 + random() * 30_000 : random() * hourMs);
    const bulk = random() < 1 / 30;
    const rows = Math.min(bulk ? rowsPerBulk : 1, left);
    left -= rows;
    const scheduled = random() < 0.1;
    const common = {
      message: 'Hello',
      validity_period: 300 + Math.floor(random() * 10_500),
      ...(random() < 0.5 ? { webhook_url: `https://${clientId}.example.com/own` } : {}),
      ...(scheduled
        ? { scheduled_at: new Date(atMs + 1_800_000 + random() * 2 * hourMs).toISOString() }
        : {}),
    };
    if (!bulk) {
      yield {
        clientId,
        kind: 'sms',
        key,
        atMs,
        body: { ...common, to: recipient(random, index, 0), reference: key },
      };
      continue;
    }
    const recipients = Array.from({ length: rows }, (_, row) => ({
      to: recipient(random, index, row),
      reference: `${key}.${row}`,
    }));
    yield { clientId, kind: 'bulk', key, atMs, body: { ...common, recipients } };
  }
}

function recipient(random: () => number, index: number, row: number): string {
  if (row === 0 && random() < 0.3) return `+1500555000${1 + Math.floor(random() * oddRecipients)}`;
  return `+4477009${String((index * rowsPerBulk + row) % 100_000).padStart(5, '0')}`;
}
