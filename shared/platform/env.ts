/**
 * Reads the environment of a function. The variables follow from the declarations in `shared/contract/function-uses.ts`;
 * only their type is imported, so no bundle contains the declarations. Each variable is read when it is first used. The read
 * of a missing or malformed variable throws an error that names it.
 */
import * as z from 'zod/mini';
import type { FunctionName, functionUses } from '../contract/function-uses.ts';
import type { QueueName } from '../contract/queues.ts';
import type { TableName, tableShapes } from '../contract/tables.ts';
import type { Constant, SecretVariables, Uses } from '../contract/uses.ts';
import { type VariableName, variables } from '../contract/variables.ts';

export type EnvironmentName =
  | VariableName
  | `${Constant<TableName>}_TABLE`
  | `${Constant<QueueName>}_QUEUE_URL`
  | `${Constant<QueueName>}_QUEUE_ARN`
  | 'SCHEDULE_GROUP'
  | 'SCHEDULE_ROLE_ARN'
  | SecretVariables[keyof SecretVariables];

export type Environment<Names extends EnvironmentName> = {
  readonly [Name in Names]: Name extends VariableName ? z.output<(typeof variables)[Name]> : string;
};

type Listed<Part, List extends keyof Uses> = List extends unknown
  ? Part extends Readonly<Record<List, readonly (infer Name)[]>>
    ? Name
    : never
  : never;
type TableOf<Part> = Part extends { readonly tables: infer Tables } ? keyof Tables & TableName : never;
type RetentionOf<Table> = Table extends TableName
  ? (typeof tableShapes)[Table] extends { readonly purged: 'retentionDays' }
    ? 'RETENTION_DAYS'
    : never
  : never;

type VariableOf<Part> = EnvironmentName &
  (
    | `${Constant<TableOf<Part>>}_TABLE`
    | RetentionOf<TableOf<Part>>
    | `${Constant<Listed<Part, 'sendsTo' | 'receivesFrom' | 'schedulesTo'> & QueueName>}_QUEUE_URL`
    | `${Constant<Listed<Part, 'schedulesTo'> & QueueName>}_QUEUE_ARN`
    | (Part extends { readonly schedulesTo: unknown } ? 'SCHEDULE_GROUP' | 'SCHEDULE_ROLE_ARN' : never)
    | SecretVariables[Listed<Part, 'secrets'> & keyof SecretVariables]
    | Listed<Part, 'settings'>
  );

/** The environment of a function with this declaration, or with this part of a declaration. */
export type EnvironmentFor<Declared> = Environment<
  VariableOf<Declared extends readonly (infer Part)[] ? Part : Declared>
>;

const text = z.string().check(z.minLength(1));

/**
 * Reads and parses a variable.
 *
 * @throws Error that names a variable which is missing or malformed, without its value.
 */
export function readVariable(name: string, source: Readonly<Record<string, string | undefined>>): unknown {
  const schema: z.ZodMiniType = Object.hasOwn(variables, name) ? variables[name as VariableName] : text;
  const parsed = schema.safeParse(fromText(schema, source[name]));
  if (!parsed.success) throw new Error(`environment variable missing or malformed: ${name}`);
  return parsed.data;
}

/** Returns the declared variables of a function. Each is read once, when it is first used. */
export function environmentOf<Name extends FunctionName>(
  source: Readonly<Record<string, string | undefined>> = process.env,
): EnvironmentFor<(typeof functionUses)[Name]> {
  const values = new Map<string, unknown>();
  const handler: ProxyHandler<EnvironmentFor<(typeof functionUses)[Name]>> = {
    get: (_, name) => {
      if (typeof name === 'symbol') return undefined;
      if (!values.has(name)) values.set(name, readVariable(name, source));
      return values.get(name);
    },
  };
  return new Proxy({} as EnvironmentFor<(typeof functionUses)[Name]>, handler);
}

/** Formats a value as the text of a variable: a text unchanged, everything else as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses a text from `toText` or a command line: returns the text itself if the schema accepts it. */
export function fromText(schema: z.ZodMiniType, text: string | undefined): unknown {
  if (text === undefined || schema.safeParse(text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the service name in logs and metrics: the stack's name, which its alarms use too. */
export function serviceName(): string {
  return process.env.SERVICE_NAME ?? 'messaging-gateway';
}

/** Returns the X-Ray trace of this call, if it is sampled. */
export function sampledTraceId(): string | undefined {
  const header = process.env._X_AMZN_TRACE_ID ?? '';
  return header.includes('Sampled=1') ? /Root=([^;]+)/.exec(header)?.[1] : undefined;
}

export const metricNamespace = 'MessagingGateway';
