/** One simulated run: who sends what, to whom, and for how long. The same seed gives the same run. */
import { sendKinds } from '../../../shared/contract/channels.ts';
import type { Message } from '../../../shared/message/message.ts';
import { isPending } from '../../../shared/otp/otp.ts';
import { shardOf } from '../../../shared/platform/ids.ts';
import type { EndpointStore } from '../../../shared/webhook/endpoints/endpoint-store.dynamo.ts';
import { randomFrom } from '../doubles/seeded-random.ts';
import { inMemoryStores } from '../engine/stores.ts';
import { simulatedGateway } from '../simulation/gateway.ts';
import { usualFaults } from '../simulation/usual-faults.ts';
import { anEndpoint } from '../webhook/example-webhook-endpoint.ts';
import { type Intent, type Kind, messageClients } from './message-clients.ts';
import { type Findings, findingsOf } from './message-invariants.ts';

export interface RunSettings {
  readonly seed: number;
  /** How many messages the clients want sent. */
  readonly total: number;
  /** How far a clock may be from the true time. */
  readonly skewMaxMs: number;
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
const horizonSeconds = 30 * 3600;
const messagesPerClient = 250;
const rowsPerBulk = 20;
/** Numbers to which the simulated carrier does something out of the ordinary. */
const oddRecipients = 7;
const keyedShare = 0.75;
/** So few that some get more one-time passwords than one recipient may. */
const otpRecipients = 2;

export async function runMessages({ seed, total, skewMaxMs }: RunSettings): Promise<Run> {
  const random = randomFrom(seed);
  const clientCount = Math.max(3, Math.ceil(total / messagesPerClient));
  const clientIds = Array.from({ length: clientCount }, (_, index) => `client-${index}`);
  const refusals = new Map<string, number>();
  const { usage } = inMemoryStores();

  const gateway = simulatedGateway({
    ...usualFaults(random, skewMaxMs),
    startAt: new Date(startMs),
    clientIds,
    refuses: (body) => body.includes(refusedMark),
    unrelayedShare,
    behavesAs,
    usage,
    accountUrlOf: (clientId) => `https://${clientId}.example.com/hook`,
    answer(deliveryId, postNumber, clientId) {
      const refused = refusals.get(deliveryId) ?? (random() < 0.8 ? 0 : 1 + Math.floor(random() * 5));
      refusals.set(deliveryId, refused);
      const accepts = !webhookEndpointIsDead(clientId) && postNumber > refused;
      if (!accepts && random() < 0.3) return { afterMs: 5000, error: 'timeout' };
      return { afterMs: 20 + random() * 400, status: accepts ? 200 : 500 };
    },
  });
  for (const clientId of clientIds) await createEndpoints(gateway.endpoints, clientId);
  const clients = messageClients(gateway);
  for (const intent of intents(total, clientIds, random)) clients.send(intent);
  for (let index = 0; index < total / verifiedOfMessages; index += 1) {
    gateway.world.time.at(startMs + random() * 1.2 * hourMs, () => {
      const pending = gateway.otps.all().filter((otp) => isPending(otp, gateway.now()));
      const otp = pending[Math.floor(random() * pending.length)];
      if (otp !== undefined) void gateway.verify(otp.otp_id);
    });
  }
  await gateway.run(horizonSeconds);

  return {
    ...(await findingsOf({ gateway, clients, usage, webhookEndpointIsDead, isRefused, skewMaxMs })),
    messages: gateway.messages.all().length,
    calls: gateway.world.processes.calls.length,
    faults: gateway.world.processes.counted,
    answers: clients.answers,
    deadLetters: {
      outbound: sendKinds.flatMap((kind) => gateway.world.deadLetters(kind)).length,
      receipts: gateway.world.deadLetters('receipts').length,
    },
  };
}

/** The filters of the endpoints that a client can have in addition to its URL; the last one is disabled. */
const endpointFilters: readonly (readonly string[] | undefined)[] = [
  undefined,
  ['sms.*'],
  ['sms.delivered', 'whatsapp.*'],
  undefined,
];

/** None for every third client, up to four for the others. */
async function createEndpoints(endpoints: EndpointStore, clientId: string): Promise<void> {
  const index = Number(clientId.slice(7));
  for (const [number, events] of endpointFilters.slice(0, index % 3 === 0 ? 0 : 2 + (index % 3)).entries()) {
    const endpoint = anEndpoint({
      client_id: clientId,
      endpoint_id: `whe_${number}`,
      enabled: number < endpointFilters.length - 1,
      created_at: new Date(startMs).toISOString(),
    });
    const filtered = events === undefined ? endpoint : { ...endpoint, events: [...events] };
    await endpoints.create(filtered, { secret: 'whsec_c2VjcmV0', created_at: endpoint.created_at });
  }
}

/** In a webhook URL: its queue refuses every message with it for good, as a service does that knows better than we. */
const refusedMark = 'refused-by-the-service';
/** Characters that SQS refuses, those next to them, and others that no text has. */
const oddText = '\uFFFD\uFFFE\uFFFF\u{1FFFE}\u{10FFFF}\u0085\u2028';
const refusedShare = 0.06;
const oddShare = 0.1;
const unrelayedShare = 0.02;

/** One-time passwords that a person enters, one for so many messages. */
const verifiedOfMessages = 20;
const fallbackShare = 0.5;

/** The legs that follow have fates of their own. */
function behavesAs({ message_id, leg, recipient }: Message): string {
  if (leg === undefined) return recipient;
  const fate = shardOf(message_id, oddRecipients + 3);
  return fate < oddRecipients ? `+1500555000${1 + fate}` : '+447700900999';
}

function fallbackOf(kind: Kind, random: () => number): { readonly fallback?: readonly object[] } {
  if (kind === 'bulk' || random() >= fallbackShare) return {};
  const leg = (): object => ({
    channel: random() < 0.5 ? 'sms' : 'whatsapp',
    ...(kind === 'otp' ? {} : { message: 'Hello again' }),
    ...(random() < 0.6 ? { after_seconds: 10 + Math.floor(random() * (kind === 'otp' ? 20 : 1500)) } : {}),
  });
  return { fallback: random() < 0.5 ? [leg()] : [leg(), leg()] };
}

const isRefused = ({ webhook_url }: Message): boolean => webhook_url?.includes(refusedMark) === true;

const webhookEndpointIsDead = (clientId: string): boolean => Number(clientId.slice(7)) % 8 === 2;

/** Most of them in bursts above the limit of a minute, the others over an hour; a quarter of them without a key. */
function* intents(total: number, clientIds: readonly string[], random: () => number): Generator<Intent> {
  let left = total;
  for (let index = 0; left > 0; index += 1) {
    const clientId = clientIds[index % clientIds.length] ?? '';
    const burst = random() < 0.6;
    const atMs = startMs + (burst ? 600_000 + random() * 30_000 : random() * hourMs);
    const kind = kindOf(random());
    const rows = Math.min(kind === 'bulk' ? rowsPerBulk : 1, left);
    left -= rows;
    const keyed = random() < keyedShare;
    const name = `${keyed ? 'keyed' : 'unkeyed'}-${index}`;
    const url = `https://${clientId}.example.com/own${queryOf(random())}`;
    const webhook = random() < 0.5 ? { webhook_url: url } : {};
    const fallback = fallbackOf(kind, random);
    const body = { ...bodyOf(kind, { name, index, rows, atMs }, random), ...webhook, ...fallback };
    yield { clientId, kind, name, keyed, atMs, body };
  }
}

function queryOf(drawn: number): string {
  if (drawn < refusedShare) return `?${refusedMark}`;
  return drawn < refusedShare + oddShare ? `?${oddText}` : '';
}

function kindOf(drawn: number): Kind {
  if (drawn < 1 / 30) return 'bulk';
  if (drawn < 0.25) return 'whatsapp';
  return drawn < 0.45 ? 'otp' : 'sms';
}

interface Wanted {
  readonly name: string;
  readonly index: number;
  readonly rows: number;
  readonly atMs: number;
}

function bodyOf(kind: Kind, { name, index, rows, atMs }: Wanted, random: () => number): object {
  const to = recipient(random, index, 0);
  if (kind === 'otp') {
    // Some recipients get more than the limit of one recipient lets through.
    const pooled = random() < 0.5;
    return {
      to: pooled ? `+44770090000${Math.floor(random() * otpRecipients)}` : to,
      reference: name,
      channel: random() < 0.3 ? 'whatsapp' : 'sms',
      ttl: 60 + Math.floor(random() * 3000),
      purpose: `purpose-${index % 3}`,
    };
  }
  const common = {
    validity_period: 300 + Math.floor(random() * 10_500),
    ...(random() < 0.1
      ? { scheduled_at: new Date(atMs + 1_800_000 + random() * 2 * hourMs).toISOString() }
      : {}),
  };
  if (kind === 'bulk') {
    const recipients = Array.from({ length: rows }, (_, row) => ({
      to: recipient(random, index, row),
      reference: `${name}.${row}`,
    }));
    return { ...common, message: 'Hello', recipients };
  }
  const content =
    kind === 'whatsapp' && random() < 0.5
      ? { type: 'template', template: { name: 'parcel', language: 'en', parameters: { body: ['42'] } } }
      : { message: 'Hello' };
  return { ...common, ...content, to, reference: name };
}

function recipient(random: () => number, index: number, row: number): string {
  if (row === 0 && random() < 0.3) return `+1500555000${1 + Math.floor(random() * oddRecipients)}`;
  return `+4477009${String((index * rowsPerBulk + row) % 100_000).padStart(5, '0')}`;
}
