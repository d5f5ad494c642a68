/** A proxy between the functions and AWS that counts calls, units and bytes, and changes nothing. */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { emulatorAccess } from '../../lib/local/emulator.ts';

export interface Counted {
  /** By service and action: `SQS.SendMessage`. */
  readonly calls: Map<string, number>;
  /** Write units by table, without its stack's name. */
  readonly tables: Map<string, number>;
  writeUnits: number;
  readUnits: number;
}

export interface CountingProxy {
  readonly endpoint: string;
  /** Passes calls on from now on. */
  open(target: string): void;
  /** What was counted since it was last taken. */
  take(): Counted;
  /** Resolves when no call is under way, and none came for the given time. */
  quiet(forMs: number): Promise<void>;
  close(): void;
}

const writes = /^(Put|Update|Delete|BatchWrite|Transact)/;
const none = (): Counted => ({ calls: new Map(), tables: new Map(), writeUnits: 0, readUnits: 0 });

export async function startCountingProxy(): Promise<CountingProxy> {
  let target = '';
  let counted = none();
  let underWay = 0;
  let lastCallAt = performance.now();

  const server = createServer(async (request, response) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
      lastCallAt = performance.now();
    });
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    let body = Buffer.concat(parts);
    const [, api = '', action = ''] = /^(\w+)\.(\w+)$/.exec(String(request.headers['x-amz-target'])) ?? [];
    const service = api.startsWith('DynamoDB') ? 'DynamoDB' : api.replace('Amazon', '');
    let headers: OutgoingHttpHeaders = request.headers;
    if (service === 'DynamoDB') {
      body = Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), ReturnConsumedCapacity: 'TOTAL' }));
      headers = signed(String(request.headers['x-amz-target']), request.headers.host ?? '', body);
    }
    const answer = await passOn(target, request, headers, body).catch(() => undefined);
    if (answer === undefined) {
      // The emulator has stopped, or is not ready yet.
      response.destroy();
      return;
    }
    const { status, headers: answered, text } = answer;
    const name = action === '' ? `${request.method} ${request.url?.split('/')[1]}` : `${service}.${action}`;
    // On a stage with real carriers there is no such table.
    if (body.includes('-simulator-outbox"')) {
      response.writeHead(status, answered).end(text);
      return;
    }
    counted.calls.set(name, (counted.calls.get(name) ?? 0) + 1);
    if (service === 'DynamoDB') countUnits(counted, action, text.toString(), status < 300);
    response.writeHead(status, answered).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    open(opened) {
      target = opened;
    },
    take() {
      const taken = counted;
      counted = none();
      return taken;
    },
    async quiet(forMs) {
      while (underWay > 0 || performance.now() - lastCallAt < forMs) await pause(20);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Under the caller's own host name, which its signature covers. */
async function passOn(target: string, from: IncomingMessage, headers: OutgoingHttpHeaders, body: Buffer) {
  const { hostname, port } = new URL(target);
  const request = httpRequest({ hostname, port, path: from.url, method: from.method, headers });
  request.end(body);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return { status: answer.statusCode ?? 502, headers: answer.headers, text: Buffer.concat(parts) };
}

/** A call that was changed is signed again (AWS Signature Version 4), by the one who runs the emulator. */
function signed(amzTarget: string, host: string, body: Buffer): OutgoingHttpHeaders {
  const { region, accessKeyId, secretAccessKey } = emulatorAccess;
  const at = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${at.slice(0, 8)}/${region}/dynamodb/aws4_request`;
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    host,
    'x-amz-date': at,
    'x-amz-target': amzTarget,
  };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
  const canonical = ['POST', '/', '', lines.join(''), names, hash(body)].join('\n');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', at, scope, hash(canonical)].join('\n')).toString('hex');
  return {
    ...headers,
    'content-length': body.length,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}

interface Capacity {
  readonly TableName?: string;
  readonly CapacityUnits?: number;
}

function countUnits(counted: Counted, action: string, answer: string, succeeded: boolean): void {
  // A condition that fails consumes the write all the same.
  if (!succeeded) {
    if (writes.test(action)) addWrites(counted, `${action} that failed`, 1);
    return;
  }
  const { ConsumedCapacity = [] } = JSON.parse(answer) as { ConsumedCapacity?: Capacity | Capacity[] };
  for (const { TableName = '', CapacityUnits = 0 } of [ConsumedCapacity].flat()) {
    const table = TableName.replace(/^messaging-gateway-[a-z]+-/, '');
    if (writes.test(action)) addWrites(counted, `${table} ${action}`, CapacityUnits);
    else counted.readUnits += CapacityUnits;
  }
}

function addWrites(counted: Counted, of: string, units: number): void {
  counted.writeUnits += units;
  counted.tables.set(of, (counted.tables.get(of) ?? 0) + units);
}
