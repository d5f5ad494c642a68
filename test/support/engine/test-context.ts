/**
 * A context of the gateway's code for tests: fresh tables in memory or those of an engine, a value for each variable, and
 * parts that the test replaces. Nothing waits, and a warning is not written. A test that sends to a queue replaces `sqs`.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { QueueName } from '../../../shared/contract/queues.ts';
import { type OutboundEntry, queuedMessage } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { systemClock } from '../../../shared/platform/clock.ts';
import type { Context } from '../../../shared/platform/context.ts';
import type { Environment, EnvironmentName } from '../../../shared/platform/env.ts';
import { attemptRules } from '../message/example-message.ts';
import { inMemoryTables } from './in-memory-tables.ts';
import { strictSqs } from './strict-sqs.ts';
import type { TestTables } from './test-tables.ts';

export type TestContext = Context<EnvironmentName>;

interface Parts extends Partial<Omit<TestContext, 'env'>> {
  readonly env?: Partial<TestContext['env']>;
}

export function testContext(
  { dynamo, names }: Pick<TestTables, 'dynamo' | 'names'> = inMemoryTables(),
  { env, ...parts }: Parts = {},
): TestContext {
  return {
    env: { ...settings, ...tableVariables(names), ...queueVariables, ...env } as TestContext['env'],
    db: dynamo,
    sqs: () => {
      throw new Error('this test has no queues');
    },
    clock: systemClock,
    sleep: async () => {},
    newId: randomUUID,
    log: { info: () => {}, warn: () => {}, error: () => {} },
    warn: () => {},
    ...parts,
  };
}

/** The defaults of a stage. */
const settings: Partial<Environment<EnvironmentName>> = {
  TOKEN_ISSUER: 'https://gateway.test',
  TOKEN_AUDIENCE: 'messaging-gateway',

  PRICES_FILE: join(import.meta.dirname, 'prices.json'),

  RETENTION_DAYS: 30,
  CURRENCY: 'USD',
  COUNTRY: 'GB',
  ALLOWED_COUNTRIES: 'all',
  SMS_CARRIER: 'simulator',
  WHATSAPP_CARRIER: 'simulator',
  STAGE_CAPS: {},
  OPT_OUT_WORDS: [],
  ON_UNKNOWN: attemptRules.onUnknown,
  UNKNOWN_DEADLINE_SECONDS: attemptRules.deadlineSeconds,
  WEBHOOK_PORTS: 'any',
  WEBHOOK_ALLOW_HTTP: false,
  WEBHOOK_ALLOW_LOOPBACK: false,
  WEBHOOK_TIME_SCALE: 1,
  SCHEDULE_LEAD_SECONDS: 0,
};

function tableVariables(names: TestTables['names']) {
  return Object.fromEntries(
    Object.entries(names).map(([name, table]) => [`${name.toUpperCase()}_TABLE`, table]),
  );
}

const queueNames: Readonly<Record<QueueName, true>> = {
  'otp-outbound': true,
  outbound: true,
  'bulk-outbound': true,
  receipts: true,
  webhooks: true,
  'webhook-retries': true,
  'relay-dead-letter': true,
};

const queueVariables = Object.fromEntries(
  Object.keys(queueNames).map((name) => [
    `${name.toUpperCase().replaceAll('-', '_')}_QUEUE_URL`,
    `https://sqs.example.com/${name}`,
  ]),
);

/** Returns the SQS of a context, which gives each message for an outbound queue to the test. */
export function outboundSqs(
  queue: (entry: OutboundEntry) => void,
  others: (message: object) => void = () => {},
): TestContext['sqs'] {
  const kinds = { 'otp-outbound': 'otp', outbound: 'single', 'bulk-outbound': 'bulk' } as const;
  const client = strictSqs({
    deliver(url, { MessageBody = '', MessageGroupId = '', DelaySeconds = 0 }) {
      const kind = kinds[url.split('/').at(-1) as keyof typeof kinds];
      if (kind === undefined) return others(JSON.parse(MessageBody));
      const { message_id, waits } = queuedMessage.parse(JSON.parse(MessageBody));
      const until = waits === undefined ? {} : { until: waits.until };
      queue({ messageId: message_id, clientId: MessageGroupId, kind, delaySeconds: DelaySeconds, ...until });
    },
  });
  return () => client;
}

interface DatabaseCall {
  /** The name of the operation, such as `Update` or `TransactWrite`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>> & {
    readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
  };
}

/** Returns the context with a database whose calls the test decides about: it fails, delays, repeats or counts them. */
export function withCalls<Given extends { readonly db: TestContext['db'] }>(
  ctx: Given,
  around: (call: DatabaseCall, run: () => Promise<unknown>) => Promise<unknown>,
): Given {
  const send = (command: DatabaseCall) =>
    around({ operation: command.constructor.name.replace(/Command$/, ''), input: command.input }, () =>
      ctx.db.send(command as never),
    );
  return { ...ctx, db: Object.create(ctx.db, { send: { value: send } }) };
}

/** True if the call records an attempt before it is made. */
export function recordsAttempt({ input: { ExpressionAttributeValues: values = {} } }: DatabaseCall): boolean {
  return ':attempt' in values && ':handover_claim' in values;
}

/** True if the call enters a state. */
export function entersState({ input: { ExpressionAttributeValues: values = {} } }: DatabaseCall): boolean {
  return ':to' in values;
}
