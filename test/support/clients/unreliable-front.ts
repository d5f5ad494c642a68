/**
 * A proxy in front of the gateway that fails as networks do: it loses the first response to a path, after the gateway has
 * given it; and it can hand out an access token of a past hour.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startServer } from '../http/local-server.ts';

interface PassedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly idempotencyKey: string | undefined;
  readonly isReplay: boolean;
  readonly body: string;
  readonly isLost: boolean;
}

interface UnreliableFront {
  readonly baseUrl: string;
  readonly answers: readonly PassedAnswer[];
  answersOf(path: string): PassedAnswer[];
  close(): Promise<void>;
}

interface Faults {
  /** Whose first response is lost. */
  readonly losesAnswerOf?: string;
  /** Given in place of the first one. */
  readonly firstToken?: string;
}

const tokenPath = '/api/v1/auth/token';

export async function startUnreliableFront(gatewayUrl: string, faults: Faults): Promise<UnreliableFront> {
  const answers: PassedAnswer[] = [];
  const { url, close } = await startServer((request, response) => {
    pass(gatewayUrl, faults, answers, request, response).catch(() => response.destroy());
  });
  const answersOf = (path: string) => answers.filter((answer) => answer.path === path);
  return { baseUrl: url, answers, answersOf, close };
}

async function pass(
  gatewayUrl: string,
  { losesAnswerOf, firstToken }: Faults,
  answers: PassedAnswer[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url: path = '/', headers } = request;
  const given = await text(request);
  const passedOn = Object.fromEntries(
    ['authorization', 'content-type', 'idempotency-key', 'user-agent'].flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
  const answer = await fetch(`${gatewayUrl}${path}`, {
    method,
    headers: passedOn,
    ...(given === '' ? {} : { body: given }),
  });
  const body = await answer.text();
  const isFirst = !answers.some((earlier) => earlier.path === path);
  const isLost = isFirst && path === losesAnswerOf;
  answers.push({
    method,
    path,
    status: answer.status,
    idempotencyKey: passedOn['idempotency-key'],
    isReplay: answer.headers.get('idempotent-replayed') === 'true',
    body,
    isLost,
  });
  if (isLost) {
    response.destroy();
    return;
  }
  response.writeHead(answer.status, { 'Content-Type': 'application/json' });
  const isReplaced = isFirst && path === tokenPath && firstToken !== undefined;
  response.end(isReplaced ? JSON.stringify({ ...JSON.parse(body), access_token: firstToken }) : body);
}
