/**
 * A deployed stage in memory, with a clock that passes only while all wait: it keeps every promise of `npm run verify`,
 * except those that its faults break. It knows just what the promises ask for.
 */
import { createHmac } from 'node:crypto';
import type { Request, Response, VerifiedStage, Visitor } from '../../../bin/verify/verified-stage.ts';
import { GatewayMessages } from './scripted-messages.ts';
import { scriptedTokens } from './scripted-tokens.ts';

/** What is broken in a stage. */
export type Fault =
  | 'an unknown path is answered as API Gateway does'
  | 'refusals lack a header'
  | 'a large body is refused in plain text'
  | 'the web ACL blocks nothing'
  | 'tokens live half an hour'
  | 'TLS 1.0 is accepted'
  | 'receipts do not come'
  | 'scheduled messages go out early'
  | 'scheduled messages go out late'
  | 'canceling does nothing'
  | 'idempotency keys are ignored'
  | 'every code is right'
  | 'limits admit one more'
  | 'webhooks are retried early'
  | 'webhooks are signed with another secret'
  | 'schedules fire early'
  | 'schedules never fire'
  | 'a table lost its recovery'
  | 'the alarm never goes on'
  | 'the alarm never goes off'
  | 'functions start slowly'
  | 'queues are not shared fairly';

const begun = Date.parse('2026-11-26T10:00:20.000Z');
export const baseUrl = 'https://gateway.example.com/live';

export function scriptedStage(has: (fault: Fault) => boolean): VerifiedStage {
  const clock = scriptedClock();
  const tokens = scriptedTokens(baseUrl, () => has('tokens live half an hour'));
  const messages = new GatewayMessages(has, clock.now);
  const refusal = (status: number, error: string, without: readonly string[] = []) =>
    response(
      status,
      { error },
      contractHeaders.filter((name) => !without.includes(name)),
    );

  async function call(_method: string, path: string, { headers = {} }: Request = {}): Promise<Response> {
    if (JSON.stringify(headers).includes('jndi') && !has('the web ACL blocks nothing'))
      return refusal(403, 'forbidden');
    if (path.startsWith('/.well-known/')) return response(200, await tokens.document(path));
    if (path === '/api/v1/auth/token') return response(200, { access_token: await tokens.issue() });
    if (path === '/api/v1/nowhere')
      return has('an unknown path is answered as API Gateway does')
        ? response(403, { message: 'Missing Authentication Token' }, [])
        : refusal(404, 'not_found');
    return refusal(401, 'unauthorized', has('refusals lack a header') ? ['x-ratelimit-policy'] : []);
  }

  return {
    baseUrl,
    isLocal: false,
    call,
    acceptsTls: async (version) =>
      ['TLSv1.2', 'TLSv1.3'].includes(version) || (version === 'TLSv1' && has('TLS 1.0 is accepted')),
    newVisitor: async (purpose) => visitorOf(purpose, has, messages, clock.now),
    receiver: { url: 'https://receiver.example.com', received: messages.webhooks },
    aws: {
      resourceTypes: async () => new Set(['AWS::WAFv2::WebACLAssociation']),
      tableFaults: async () => (has('a table lost its recovery') ? ['clients: it has no recovery'] : []),
      async fireSchedule(at) {
        if (has('schedules never fire')) return undefined;
        return new Date(at.getTime() + (has('schedules fire early') ? -1000 : 40_000));
      },
      idleAlarm: async () => scriptedAlarm(has),
    },
    now: clock.now,
    pause: clock.pause,
  };
}

const contractHeaders = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-ratelimit-policy',
];

export function response(
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: readonly string[] = contractHeaders,
  { limit = 60, tookMs = 100 } = {},
): Response {
  const sent = headers.map((name): [string, string] => [
    name,
    name === 'x-ratelimit-limit' ? String(limit) : '1',
  ]);
  return { status, headers: new Headers(sent), text: JSON.stringify(body), body, tookMs };
}

function visitorOf(
  purpose: string,
  has: (fault: Fault) => boolean,
  messages: GatewayMessages,
  now: () => Date,
): Visitor {
  let limit = 60;
  const used = new Map<number, number>();
  function account(): Response {
    const minute = Math.floor(now().getTime() / 60_000);
    const count = (used.get(minute) ?? 0) + 1;
    used.set(minute, count);
    const admitted = limit + (has('limits admit one more') ? 1 : 0);
    const tookMs = has('functions start slowly') ? 3001 : 400;
    return response(limit < 60 && count > admitted ? 429 : 200, {}, contractHeaders, { limit, tookMs });
  }
  return {
    clientId: purpose,
    clientSecret: 'secret',
    async call(method, path, request = {}) {
      if (path === '/api/v1/account') return account();
      if (typeof request.body === 'string')
        return has('a large body is refused in plain text')
          ? { ...response(413, {}, []), text: 'HTTP content length exceeded 10485760 bytes.' }
          : response(413, { error: 'payload_too_large' });
      return messages.handle(purpose, method, path, request);
    },
    async limitPerMinute(_endpoint, perMinute) {
      limit = perMinute;
    },
  };
}

function scriptedAlarm(has: (fault: Fault) => boolean) {
  let isRaised = false;
  return {
    name: 'WebhooksDeadLettersAlarm',
    state: async () => {
      if (isRaised) return has('the alarm never goes on') ? 'OK' : 'ALARM';
      return has('the alarm never goes off') ? 'ALARM' : 'OK';
    },
    raise: async () => {
      isRaised = true;
    },
    lower: async () => {
      isRaised = false;
    },
  };
}

/** A pause ends when everything else waits as well; the time is then that of its end. */
function scriptedClock() {
  let time = begun;
  const waiting: { readonly at: number; readonly end: () => void }[] = [];
  function endNext(): void {
    waiting.sort((one, other) => one.at - other.at);
    const next = waiting.shift();
    time = Math.max(time, next?.at ?? time);
    next?.end();
  }
  return {
    now: () => new Date(time),
    pause: (milliseconds: number) =>
      new Promise<void>((end) => {
        waiting.push({ at: time + milliseconds, end });
        setImmediate(endNext);
      }),
  };
}

export function signatureOf(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
