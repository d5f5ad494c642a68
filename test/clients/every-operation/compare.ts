/**
 * Runs a program that makes the calls with a generated client, and prints each response as the client has it, as JSON behind
 * the operationId. @throws Error for an operation that was not called or was refused, and for a response that has lost a field.
 */
import { isDeepStrictEqual } from 'node:util';
import type { OpenApiDocument } from '../../../lib/build/openapi/document.ts';
import { startUnreliableFront, type UnreliableFront } from '../../support/clients/unreliable-front.ts';
import type { TestClient } from '../../support/http/client.ts';
import { type Call, callsOf } from './calls.ts';

export type RunCalls = (
  calls: readonly Call[],
  environment: Readonly<Record<string, string | undefined>>,
) => Promise<{ readonly stdout: string }>;

export interface Caller {
  readonly client: TestClient;
  readonly token: string;
}

export async function callEveryOperation(
  document: OpenApiDocument,
  { client, token }: Caller,
  runCalls: RunCalls,
): Promise<void> {
  const calls = await callsOf(document, client);
  const front = await startUnreliableFront(client.baseUrl, {});
  try {
    const { stdout } = await runCalls(calls, { ...process.env, BASE_URL: front.baseUrl, TOKEN: token });
    const printed = new Map(
      stdout.split('\n').flatMap((line) => {
        const [operationId, answer] = line.split('\t');
        return operationId === undefined || answer === undefined ? [] : [[operationId, answer] as const];
      }),
    );
    const faults = calls.flatMap((call) => faultOf(call, front, printed.get(call.operationId)));
    if (faults.length > 0) throw new Error(faults.join('\n'));
  } finally {
    await front.close();
  }
}

function faultOf(call: Call, front: UnreliableFront, printed: string | undefined): string[] {
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(call.parameters.find((one) => one.in === 'path' && one.name === name)?.value),
  );
  const asked = front.answers.findLast(
    // Some clients encode the plus of a number, and some do not.
    (answer) => answer.method === call.method && decodeURIComponent(answer.path.split('?')[0] ?? '') === path,
  );
  if (asked === undefined) return [`${call.operationId} was not called; printed: ${printed}`];
  if (asked.status !== call.answer.status) return [`${call.operationId} ${asked.status}: ${asked.body}`];
  const got = comparable(parsed(printed));
  const sent = comparable(JSON.parse(asked.body));
  if (isDeepStrictEqual(got, sent)) return [];
  return [`${call.operationId}: ${JSON.stringify(got)} instead of ${JSON.stringify(sent)}`];
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return text;
  }
}

/** Times may be written in several ways, and a null be left out. */
function comparable(value: unknown): unknown {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]\d\d:/.test(value)) return Date.parse(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(comparable);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== null)
      .map(([name, field]) => [name, comparable(field)]),
  );
}
