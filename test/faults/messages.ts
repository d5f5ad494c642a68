/**
 * A thousand messages from the request to the last webhook in a bad world: processes die and calls fail, are throttled,
 * late and doubled at every port, queues and streams repeat themselves, clocks are wrong by up to two minutes. Prints
 * what became of them; exits with 1 if one was lost, left open, not told of, or doubled without an excuse.
 * `npm run test:faults:messages -- [seed] [messages]`.
 */
import { faultyProcesses } from '../support/faulty-process.ts';
import { type Intent, messageClients } from '../support/message-clients.ts';
import { findingsOf } from '../support/message-invariants.ts';
import { messageWorld } from '../support/message-world.ts';
import { randomFrom } from '../support/seeded-random.ts';
import { virtualTime } from '../support/virtual-time.ts';

const seed = Number(process.argv[2] ?? Math.floor(Math.random() * 2 ** 31));
const total = Number(process.argv[3] ?? 1000);
const started = performance.now();
const random = randomFrom(seed);

const startMs = Date.parse('2026-11-20T08:00:00.000Z');
const hourMs = 3_600_000;
/** The longest way: two hours until sent, three until expired, eight of retries, and what faults add. */
const horizonMs = startMs + 30 * hourMs;
const messagesPerClient = 250;
const rowsPerBulk = 20;
/** Numbers to which the simulated carrier does something out of the ordinary. */
const oddRecipients = 7;

const time = virtualTime(startMs);
const world = { time, random, processes: faultyProcesses(time, random) };
const clientCount = Math.max(3, Math.ceil(total / messagesPerClient));
const clientIds = Array.from({ length: clientCount }, (_, index) => `client-${index}`);
const receiverIsDead = (clientId: string): boolean => Number(clientId.slice(7)) % 8 === 2;
const refusals = new Map<string, number>();

const road = messageWorld(world, {
  accountUrlOf: (clientId) => `https://${clientId}.example.com/hook`,
  refusalsOf(deliveryId, clientId) {
    if (receiverIsDead(clientId)) return Number.POSITIVE_INFINITY;
    const known = refusals.get(deliveryId) ?? (random() < 0.8 ? 0 : 1 + Math.floor(random() * 5));
    refusals.set(deliveryId, known);
    return known;
  },
});
const clients = messageClients(world, road);
for (const intent of intents()) clients.send(intent);
await time.runUntil(horizonMs);

const { counts, violations } = await findingsOf(road, clients, receiverIsDead);
const deadLetters = Object.entries(road.queues).map(([name, queue]) => `${name} ${queue.deadLetters.length}`);
console.log(`seed ${seed}: ${road.messages.all().length} messages, ${world.processes.calls()} calls`);
console.log(`faults: ${listed(world.processes.counted)}`);
console.log(`answers: ${listed(clients.answers)}`);
for (const [name, count] of Object.entries(counts)) console.log(`  ${name}: ${count}`);
console.log(`dead letters: ${deadLetters.join(', ')}`);
for (const violation of violations.slice(0, 20)) console.log(`VIOLATION ${violation}`);
console.log(`violations ${violations.length}, in ${((performance.now() - started) / 1000).toFixed(1)} s`);
process.exitCode = violations.length > 0 ? 1 : 0;

/** Three fifths one by one, most of them in bursts above the limit of a minute, the others in bulk; over an hour. */
function* intents(): Generator<Intent> {
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
        body: { ...common, to: recipient(index, 0), reference: key },
      };
      continue;
    }
    const recipients = Array.from({ length: rows }, (_, row) => ({
      to: recipient(index, row),
      reference: `${key}.${row}`,
    }));
    yield { clientId, kind: 'bulk', key, atMs, body: { ...common, recipients } };
  }
}

function recipient(index: number, row: number): string {
  if (row === 0 && random() < 0.3) return `+1500555000${1 + Math.floor(random() * oddRecipients)}`;
  return `+4477009${String((index * rowsPerBulk + row) % 100_000).padStart(5, '0')}`;
}

function listed(counted: Readonly<Record<string, number>>): string {
  return Object.entries(counted)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}
