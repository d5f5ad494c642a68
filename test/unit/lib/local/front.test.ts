import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Front, startFront } from '../../../../lib/local/front.ts';
import { stopRequest } from '../../../../lib/local/stop-request.ts';
import { type LocalServer, startServer } from '../../../support/http/local-server.ts';

describe('the front', () => {
  const opened: { front?: Front; api?: LocalServer } = {};
  afterEach(async () => {
    await opened.front?.close();
    await opened.api?.close();
  });

  async function frontOf(
    answer: (request: IncomingMessage, response: ServerResponse) => void,
  ): Promise<string> {
    const api = await startServer(answer);
    const front = await startFront(0);
    Object.assign(opened, { front, api });
    front.open({ endpoint: api.url, apiId: 'abc' });
    return `http://localhost:${front.port}`;
  }

  it('answers all of 200 requests at once, with no more than 16 under way', async () => {
    let underWay = 0;
    let most = 0;
    let isFull: () => void = () => undefined;
    const full = new Promise<void>((resolve) => {
      isFull = resolve;
    });
    const baseUrl = await frontOf(async (_request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      // However slow the machine is: none ends before as many have come as may.
      if (underWay === 16) isFull();
      await full;
      await pause(10);
      underWay -= 1;
      response.end('ok');
    });
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const answer = await fetch(`${baseUrl}/api/v1/sms/send`, { method: 'POST', body: '{}' });
        await answer.text();
        return answer.status;
      }),
    );
    expect(statuses).toEqual(Array.from({ length: 200 }, () => 200));
    expect(most).toBe(16);
  });

  it('keeps path, query, headers, body and status', async () => {
    const baseUrl = await frontOf(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      response.writeHead(418, { 'X-RateLimit-Limit': '60', 'Set-Cookie': ['a=1', 'b=2'] });
      response.end(
        JSON.stringify([
          request.method,
          request.url,
          request.headers['x-own'],
          Buffer.concat(chunks).toString(),
        ]),
      );
    });
    const answer = await fetch(`${baseUrl}/api/v1/messages?limit=5&cursor=a%2Fb`, {
      method: 'PATCH',
      headers: { 'X-Own': 'mine' },
      body: 'Grüße',
    });
    expect(answer.status).toBe(418);
    expect(answer.headers.get('x-ratelimit-limit')).toBe('60');
    expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(await answer.json()).toEqual([
      'PATCH',
      '/live/api/v1/messages?limit=5&cursor=a%2Fb',
      'mine',
      'Grüße',
    ]);
  });

  it('passes the real caller to the API, whatever the caller claims, and the name of the API', async () => {
    const baseUrl = await frontOf((request, response) => response.end(JSON.stringify(request.headers)));
    const answer = await fetch(baseUrl, {
      headers: { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' },
    });
    expect(await answer.json()).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      host: 'abc.execute-api.localhost',
    });
  });

  /** What comes back for these bytes, until the front ends the connection. */
  async function answerTo(bytes: string): Promise<string> {
    const socket = connect(opened.front?.port ?? 0, '127.0.0.1');
    socket.write(bytes);
    return await text(socket);
  }

  it('answers what the emulator does not see in the form of all errors, with the headers of every response', async () => {
    opened.front = await startFront(0);
    const head = 'POST /api/v1/sms/send HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
    const asked = {
      'a percent sign without digits':
        'GET /api/v1/messages?reference=50%off HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'a percent sign at the end of the path': 'GET /docs/% HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'not started': `${head}\r\n`,
    };
    for (const [name, bytes] of Object.entries(asked)) {
      const [top = '', rest = ''] = (await answerTo(bytes)).split('\r\n\r\n');
      const body = /\{.*\}/.exec(rest)?.[0] ?? '';
      const status = name === 'not started' ? '503' : '400';
      expect([name, top.split(' ')[1]]).toEqual([name, status]);
      const id = /^x-request-id: (.+)$/im.exec(top)?.[1];
      expect(JSON.parse(body)).toEqual({
        error: status === '503' ? 'service_unavailable' : 'invalid_request',
        message: expect.any(String),
        request_id: id,
      });
      for (const header of ['Limit', 'Remaining', 'Reset', 'Policy'])
        expect(top).toMatch(new RegExp(`^X-RateLimit-${header}: `, 'im'));
    }
  });

  it('answers for a function that was killed in the form of all errors, and passes on what a function answers', async () => {
    const baseUrl = await frontOf((request, response) => {
      if (request.url === '/live/killed') response.writeHead(502).end('{"message": "Internal server error"}');
      else response.writeHead(500, { 'X-Request-Id': 'of-the-function' }).end('{"error":"internal_error"}');
    });
    const killed = await fetch(`${baseUrl}/killed`);
    expect([killed.status, killed.headers.get('x-ratelimit-remaining')]).toEqual([503, '0']);
    expect(await killed.json()).toEqual({
      error: 'service_unavailable',
      message: expect.any(String),
      request_id: killed.headers.get('x-request-id'),
    });
    const answered = await fetch(`${baseUrl}/answered`);
    expect([answered.status, await answered.json()]).toEqual([500, { error: 'internal_error' }]);
  });

  it('passes on the target and the expectation of any valid request', async () => {
    await frontOf((request, response) => response.end(request.url));
    const targets = {
      'http://localhost:3000/api/v1/account?a=1': '/live/api/v1/account?a=1',
      '*': '/live/*',
      '/docs': '/live/docs',
    };
    for (const [target, passed] of Object.entries(targets)) {
      const method = target === '*' ? 'OPTIONS' : 'GET';
      const answer = await answerTo(
        `${method} ${target} HTTP/1.1\r\nHost: x\r\nExpect: bogus\r\nConnection: close\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
      expect(answer).toContain(passed);
    }
  });

  it('leaves it to the caller to end an idle connection', async () => {
    const baseUrl = await frontOf((_request, response) => response.end('ok'));
    const answer = await fetch(baseUrl);
    expect([await answer.text(), answer.headers.get('keep-alive')]).toEqual(['ok', null]);
  });

  it('says which port is taken, and what to do', async () => {
    opened.front = await startFront(0);
    const { port } = opened.front;
    await expect(startFront(port)).rejects.toThrow(
      `Port ${port} is already used; choose another with --port.`,
    );
  });
});

/** What was done after a signal at each of these milliseconds. */
function doneAfter(signalsAtMs: readonly number[]): string[] {
  const done: string[] = [];
  let nowMs = 0;
  const onSignal = stopRequest({
    stop: () => done.push('stop'),
    force: () => done.push('force'),
    now: () => nowMs,
  });
  for (const atMs of signalsAtMs) {
    nowMs = atMs;
    onSignal();
  }
  return done;
}

describe('a request to stop', () => {
  it('stops once, however often its signal comes within five seconds', () => {
    expect(doneAfter([100, 100, 101, 350, 4000, 5100])).toEqual(['stop']);
  });

  it('ends at once where it is repeated later', () => {
    expect(doneAfter([100, 101, 5101])).toEqual(['stop', 'force']);
  });
});
