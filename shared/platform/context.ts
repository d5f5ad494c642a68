/**
 * Defines the context of a process: its environment, AWS clients, clock, ids and log. A function's file creates it once,
 * and passes it to plain functions as their first argument.
 *
 * A function's type names the variables that it reads, such as `claimMessage(context: Context<'MESSAGES_TABLE'>, …)`. So
 * the code compiles only if the table is declared for the Lambda function (`contract/function-uses.ts`).
 */
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { dynamo, sqs } from './aws/clients.ts';
import { type Clock, type Sleep, systemClock } from './clock.ts';
import type { Environment, EnvironmentName } from './env.ts';
import { lazily } from './expiring-cache.ts';
import { log, logWarning } from './log.ts';

export interface Context<Names extends EnvironmentName = never> {
  readonly env: Environment<Names>;
  readonly db: DynamoDBDocumentClient;
  /** Created when it is first used. */
  readonly sqs: () => SQSClient;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Returns a random id that cannot be guessed. */
  readonly newId: () => string;
  /** Writes one line for each request or background task. */
  readonly log: typeof log;
  readonly warn: (message: string, error: unknown) => void;
}

/** Returns the context of this process; tests replace parts of it. */
export function contextOf<Names extends EnvironmentName>(env: Environment<Names>): Context<Names> {
  return {
    env,
    db: dynamo(),
    sqs: lazily(sqs),
    clock: systemClock,
    sleep: setTimeout,
    newId: randomUUID,
    log,
    warn: logWarning,
  };
}

/**
 * Creates a value once for each context, on first use, as a cache for the life of the process. A copy of the context has
 * its own value, so each function's file makes at most one copy, at its start.
 */
export function oncePerContext<Of extends object, Value>(
  make: (context: Of) => Value,
): (context: Of) => Value {
  const made = new WeakMap<Of, { readonly value: Value }>();
  return (context) => {
    const known = made.get(context) ?? { value: make(context) };
    made.set(context, known);
    return known.value;
  };
}
