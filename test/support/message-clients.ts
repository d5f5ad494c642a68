/** Clients that send through the limiter and the real operations, and try again under the same key until they know. */
import * as z from 'zod/mini';
import type { ApiResponse, Operation } from '../../shared/api.ts';
import { GatewayError } from '../../shared/errors.ts';
import { sendBulkSms } from '../../shared/message/send-bulk-sms.ts';
import { sendSms } from '../../shared/message/send-sms.ts';
import { retryAfterSeconds } from '../../shared/rate-limit/decision.ts';
import { type RateLimiter, rateLimiter } from '../../shared/rate-limit/limiter.ts';
import { limitOf, windowNames, windowsAt } from '../../shared/rate-limit/windows.ts';
import { policies, routes } from '../../shared/routes.ts';
import { memoryBatchStore } from './memory-batch-store.ts';
import { memoryRateCounter } from './memory-rate-counter.ts';
import type { MessageWorld } from './message-world.ts';
import type { World } from './virtual-queue.ts';

/** What a client wants to have sent, once, whatever happens on the way. */
export interface Intent {
  readonly clientId: string;
  readonly kind: 'sms' | 'bulk';
  readonly key: string;
  readonly body: unknown;
  readonly atMs: number;
}

export interface MessageClients {
  send(intent: Intent): void;
  /** The messages of each 202, by key; one set for each answer. */
  readonly accepted: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly answers: Readonly<Record<string, number>>;
  /** Windows that admitted more than their limit, in words. */
  overLimits(): string[];
}

const apiLimitSeconds = 28;
const clientPatienceMs = 30_000;
const triesMax = 12;
/** Of the answers that came, the share that the client loses: it asks again. */
const lostShare = 0.1;
const machines = 6;

const idsOf = z.union([
  z.pipe(
    z.object({ message_id: z.string() }),
    z.transform(({ message_id }) => [message_id]),
  ),
  z.pipe(
    z.object({ messages: z.array(z.object({ message_id: z.string() })) }),
    z.transform(({ messages }) => messages.map(({ message_id }) => message_id)),
  ),
]);

export function messageClients(world: World, road: MessageWorld): MessageClients {
  const { time, random, processes } = world;
  const batches = memoryBatchStore();
  const counter = memoryRateCounter();
  const accepted = new Map<string, string[][]>();
  const answers: Record<string, number> = {};
  const admitted = new Map<string, { count: number; limit: number }>();
  let requests = 0;
  /** Each remembers refusals of its own and has a clock of its own. */
  const pool = Array.from({ length: machines }, () => ({
    skewMs: processes.drawSkewMs(),
    limiter: rateLimiter({ counter, limitsOf: async (_client, policy) => policies[policy], random }),
  }));

  async function check(limiter: RateLimiter, intent: Intent, now: Date): Promise<void> {
    const policy = intent.kind === 'sms' ? 'sms_send' : 'sms_bulk';
    const decision = await limiter.check({ kind: 'client', clientId: intent.clientId }, policy, now);
    if (!decision.admitted) {
      const options = { retryAfterSeconds: retryAfterSeconds(decision, now) };
      throw new GatewayError('rate_limit_exceeded', 'Too many requests.', options);
    }
    const windows = windowsAt(now);
    for (const window of windowNames) {
      const name = `${intent.clientId} ${policy} ${windows.day} ${windows.attributes[window]}`;
      const known = admitted.get(name) ?? { count: 0, limit: limitOf(policies[policy], window) };
      admitted.set(name, { ...known, count: known.count + 1 });
    }
  }

  async function request(intent: Intent): Promise<ApiResponse> {
    const machine = pool[Math.floor(random() * pool.length)];
    if (machine === undefined) throw new Error('no machine');
    const process = processes.start(apiLimitSeconds, machine.skewMs);
    const now = process.clock();
    await processes.call(process, () => check(machine.limiter, intent, now));
    const webhookUrl = z.url();
    const messages = road.messagesOf(process);
    const operation: Operation =
      intent.kind === 'sms'
        ? sendSms({ messages, webhookUrl })
        : sendBulkSms({ messages, batches: processes.port(process, batches), webhookUrl });
    requests += 1;
    const client = {
      client_id: intent.clientId,
      name: intent.clientId,
      scopes: ['messages' as const],
      disabled: false,
      secrets: [],
      created_at: new Date(0).toISOString(),
    };
    return operation({
      requestId: `request-${requests}`,
      route: intent.kind === 'sms' ? routes.sendSms : routes.sendBulkSms,
      method: 'POST',
      path: '/',
      pathParameters: {},
      query: {},
      headers: { 'idempotency-key': intent.key },
      body: intent.body,
      rawBody: '',
      sourceIp: '203.0.113.1',
      caller: { clientId: intent.clientId, scopes: ['messages'], client },
      now,
    });
  }

  /** Seconds until the client asks again; undefined once it is content, or gives up. */
  async function ask(intent: Intent): Promise<number | undefined> {
    const noAnswer = time.sleep(clientPatienceMs).then(() => 'no answer' as const);
    const answer = await Promise.race([request(intent).catch((error: unknown) => error), noAnswer]);
    if (answer === 'no answer' || (answer instanceof Error && !(answer instanceof GatewayError))) {
      note(answer === 'no answer' ? 'no answer' : 'internal_error');
      return 1 + random() * 20;
    }
    if (answer instanceof GatewayError) {
      note(answer.code);
      if (answer.code === 'idempotency_in_progress') return 30 + random() * 60;
      return answer.code === 'rate_limit_exceeded' ? (answer.retryAfterSeconds ?? 1) : undefined;
    }
    note('202');
    const ids = idsOf.parse((answer as ApiResponse).body);
    accepted.set(intent.key, [...(accepted.get(intent.key) ?? []), ids]);
    return random() < lostShare ? 1 + random() * 60 : undefined;
  }

  function note(outcome: string): void {
    answers[outcome] = (answers[outcome] ?? 0) + 1;
  }

  async function persist(intent: Intent): Promise<void> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const againAfterSeconds = await ask(intent);
      if (againAfterSeconds === undefined) return;
      await time.sleep(againAfterSeconds * 1000);
    }
  }

  return {
    accepted,
    answers,
    send: (intent) => time.at(intent.atMs, () => void persist(intent)),
    overLimits: () =>
      [...admitted]
        .filter(([, { count, limit }]) => count > limit)
        .map(([name, { count, limit }]) => `${name}: ${count} admitted, ${limit} allowed`),
  };
}
