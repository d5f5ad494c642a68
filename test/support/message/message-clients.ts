/** Clients that send through the limiter and the real operations, most of them under a key, and try again until they know. */

import * as z from 'zod/mini';
import { GatewayError } from '../../../shared/contract/errors.ts';
import { type PolicyName, policies, type Route, routes } from '../../../shared/contract/routes.ts';
import { retryAfterSeconds } from '../../../shared/limit/decision.ts';
import { type RateLimiter, rateLimiter } from '../../../shared/limit/limiter.ts';
import { limitOf, windowNames, windowsAt } from '../../../shared/limit/windows.ts';
import { sendBulkSms } from '../../../shared/message/send/send-bulk-sms.ts';
import { sendSms } from '../../../shared/message/send/send-sms.ts';
import { sendWhatsApp } from '../../../shared/message/send/send-whatsapp.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import type { Operation } from '../../../shared/operation/operation.ts';
import { noUnknownFields } from '../../../shared/operation/unknown-fields.ts';
import { sendOtp } from '../../../shared/otp/send-otp.ts';
import { reviewFrom } from '../../../shared/relay/expire-messages.ts';
import { allowanceOf } from '../doubles/no-caps.ts';
import { noSenders } from '../doubles/no-senders.ts';
import type { Gateway } from '../simulation/gateway.ts';
import type { Process } from '../simulation/processes.ts';
import { pacedMessages } from './paced-messages.ts';
import { renamedMessages } from './renamed-messages.ts';

export type Kind = 'sms' | 'bulk' | 'whatsapp' | 'otp';

/** What a client wants to have sent, whatever happens on the way. */
export interface Intent {
  readonly clientId: string;
  readonly kind: Kind;
  /** The reference of its message; those of a bulk begin with it and a dot. */
  readonly name: string;
  /** Whether it is sent under its name as `Idempotency-Key`; else each request for it may become a message. */
  readonly keyed: boolean;
  readonly body: unknown;
  readonly atMs: number;
}

export interface MessageClients {
  send(intent: Intent): void;
  /** The messages of each 202, by the name of what was wanted; one set for each response. */
  readonly accepted: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly answers: Readonly<Record<string, number>>;
  /** How often each thing was asked for that has no key. */
  readonly unkeyedRequests: ReadonlyMap<string, number>;
  /** Windows that admitted more than their limit, in words. */
  overLimits(): string[];
}

const apiLimitSeconds = 28;
const clientPatienceMs = 30_000;
const triesMax = 12;
/** The share of answers that the client loses: it asks again. */
const lostShare = 0.1;
const machines = 6;
/** Every third client has a sender with a pace, some of them a slow one. */
function senderOf(clientId: string) {
  const index = Number(clientId.slice('client-'.length));
  if (index % 3 !== 1) return undefined;
  return { identity: `sender of ${clientId}`, messages_per_second: index % 2 === 0 ? 0.5 : 3 };
}

const sends = {
  sms: { policy: 'sms_send', route: routes.sendSms },
  bulk: { policy: 'sms_bulk', route: routes.sendBulkSms },
  whatsapp: { policy: 'whatsapp_send', route: routes.sendWhatsApp },
  otp: { policy: 'otp_send', route: routes.sendOtp },
} as const satisfies Record<Kind, { readonly policy: PolicyName; readonly route: Route }>;

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

export function messageClients(gateway: Gateway): MessageClients {
  const { time, random, processes } = gateway.world;
  const { batches, otps, rateCounter: counter } = gateway.stores;
  const accepted = new Map<string, (readonly string[])[]>();
  const answers: Record<string, number> = {};
  const unkeyedRequests = new Map<string, number>();
  const admitted = new Map<string, { count: number; limit: number }>();
  let requests = 0;
  /** Each remembers refusals of its own and has a clock of its own. */
  const pool = Array.from({ length: machines }, () => ({
    skewMs: processes.drawSkewMs(),
    limiter: rateLimiter({ counter, limitsOf: async (_client, policy) => policies[policy], random }),
  }));

  async function check(limiter: RateLimiter, intent: Intent, now: Date): Promise<void> {
    const { policy } = sends[intent.kind];
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

  /** The ids of the messages that were accepted. */
  async function request(intent: Intent): Promise<readonly string[]> {
    const machine = pool[Math.floor(random() * pool.length)];
    if (machine === undefined) throw new Error('no machine');
    const process = processes.start(apiLimitSeconds, machine.skewMs);
    const now = process.clock();
    await processes.call(process, 'limiter', () => check(machine.limiter, intent, now));
    requests += 1;
    if (!intent.keyed) unkeyedRequests.set(intent.name, (unkeyedRequests.get(intent.name) ?? 0) + 1);
    const client = {
      client_id: intent.clientId,
      name: intent.clientId,
      scopes: ['messages' as const],
      disabled: false,
      secrets: [],
      created_at: new Date(0).toISOString(),
    };
    const { pace } = gateway.functionsOf(process);
    const sender = senderOf(intent.clientId);
    const table = gateway.messagesOf(process);
    const own = sender === undefined ? table : pacedMessages(table, pace, sender);
    const { messages, storedId } = intent.keyed
      ? { messages: own, storedId: (id: string) => id }
      : renamedMessages(own, `request-${requests}`);
    const send = operationOf(intent.kind, process, messages);
    const { body } = await send({
      workId: `request-${requests}`,
      route: sends[intent.kind].route,
      method: 'POST',
      path: '/',
      pathParameters: {},
      query: {},
      headers: intent.keyed ? { 'idempotency-key': intent.name } : {},
      body: intent.body,
      rawBody: '',
      unknownFields: noUnknownFields(),
      sourceIp: '203.0.113.1',
      caller: { clientId: intent.clientId, scopes: ['messages'], client },
      now,
    });
    return idsOf.parse(body).map(storedId);
  }

  function operationOf(kind: Kind, process: Process, messages: MessageStore): Operation {
    const common = { messages, allowanceOf, ...noSenders, webhookUrl: z.url() };
    switch (kind) {
      case 'sms':
        return sendSms(common);
      case 'bulk':
        return sendBulkSms({
          ...common,
          batches: processes.port(process, 'batches', batches),
          pace: gateway.functionsOf(process).pace,
          reviewFrom: reviewFrom(processes.port(process, 'dueItemIndex', gateway.dueItemIndex)),
        });
      case 'whatsapp':
        return sendWhatsApp(common);
      case 'otp':
        return sendOtp({
          ...common,
          otps: processes.port(process, 'otps', otps),
          otpSends: processes.port(process, 'otp sends', gateway.stores.otpSendsThrough(messages)),
          warn: () => {},
        });
    }
  }

  /** Seconds until the client asks again; undefined once it is content, or gives up. */
  async function ask(intent: Intent): Promise<number | undefined> {
    const noAnswer = time.sleep(clientPatienceMs).then(() => 'no response' as const);
    const answer = await Promise.race([request(intent).catch((error: unknown) => error), noAnswer]);
    if (answer === 'no response' || (answer instanceof Error && !(answer instanceof GatewayError))) {
      note(answer === 'no response' ? 'no response' : 'internal_error');
      return 1 + random() * 20;
    }
    if (answer instanceof GatewayError) {
      note(answer.code);
      if (answer.code === 'idempotency_in_progress') return 30 + random() * 60;
      return answer.code === 'rate_limit_exceeded' ? (answer.retryAfterSeconds ?? 1) : undefined;
    }
    note('202');
    accepted.set(intent.name, [...(accepted.get(intent.name) ?? []), answer as readonly string[]]);
    return random() < lostShare ? 1 + random() * 60 : undefined;
  }

  function note(outcome: string): void {
    answers[outcome] = (answers[outcome] ?? 0) + 1;
  }

  async function persist(intent: Intent): Promise<void> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const retryAfterSeconds = await ask(intent);
      if (retryAfterSeconds === undefined) return;
      await time.sleep(retryAfterSeconds * 1000);
    }
  }

  return {
    accepted,
    answers,
    unkeyedRequests,
    send: (intent) => time.at(intent.atMs, () => void persist(intent)),
    overLimits: () =>
      [...admitted]
        .filter(([, { count, limit }]) => count > limit)
        .map(([name, { count, limit }]) => `${name}: ${count} admitted, ${limit} allowed`),
  };
}
