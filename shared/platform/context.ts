/**
 * Defines the context of a process: its environment, the clients of AWS, the clock, ids and the log. A function's file creates
 * it once. The modules take it as the first argument of plain functions.
 *
 * A module names the variables that it reads: `claimMessage(context: Context<'MESSAGES_TABLE'>, …)`. So the compiler
 * refuses a function whose declaration (`contract/function-uses.ts`) does not contain the table.
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
  /** Returns a random id that nobody can foresee. */
  readonly newId: () => string;
  /** One line for each unit of work. */
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
 * Makes a value once for each context, when it is first used: a cache that lives as long as the process. A copy of a context
 * has its own value, so a function's file copies its context at most once, at its start.
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
