/**
 * Reads the environment of a function. The declarations in `shared/contract/function-uses.ts` determine the variables. Only
 * their type is imported, so no bundle contains the declarations. Each variable is read on first use. If it is missing or
 * malformed, the read throws an error that names it.
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

/** The environment of a function with this declaration or part of one. */
export type EnvironmentFor<Declared> = Environment<
  VariableOf<Declared extends readonly (infer Part)[] ? Part : Declared>
>;

const text = z.string().check(z.minLength(1));

/**
 * Reads and parses a variable.
 *
 * @throws Error that names a missing or malformed variable, without its value.
 */
export function readVariable(name: string, source: Readonly<Record<string, string | undefined>>): unknown {
  const schema: z.ZodMiniType = Object.hasOwn(variables, name) ? variables[name as VariableName] : text;
  const parsed = schema.safeParse(fromText(schema, source[name]));
  if (!parsed.success) throw new Error(`environment variable missing or malformed: ${name}`);
  return parsed.data;
}

/** Returns the declared variables of a function. Each variable is read once, on first use. */
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

/** Returns the text of a variable: strings unchanged, all other values as JSON. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Parses a text from `toText` or a command line. If the schema accepts the text itself, returns it unchanged. */
export function fromText(schema: z.ZodMiniType, text: string | undefined): unknown {
  if (text === undefined || schema.safeParse(text).success) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the service name in logs and metrics, which is the stack's name. */
export function serviceName(): string {
  return process.env.SERVICE_NAME ?? 'messaging-gateway';
}

/** Returns the X-Ray trace id of this invocation if it is sampled. */
export function sampledTraceId(): string | undefined {
  const header = process.env._X_AMZN_TRACE_ID ?? '';
  return header.includes('Sampled=1') ? /Root=([^;]+)/.exec(header)?.[1] : undefined;
}

export const metricNamespace = 'MessagingGateway';
