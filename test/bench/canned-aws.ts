/**
 * A server that answers as AWS's services do, without keeping anything: what is read is made from its key, an update
 * gives back the row with what it sets, and one call in a thousand is throttled. For runs too long for a real engine.
 */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { otpSecret, type Row, type Rows } from './canned-rows.ts';

interface CannedAws {
  readonly url: string;
  stop(): Promise<void>;
}

type Body = Readonly<Record<string, unknown>>;
type Item = Record<string, AttributeValue>;

const throttledEvery = 1000;

/** What DynamoDB, SQS, KMS, Secrets Manager, Scheduler and the two carriers were asked for, and how they refuse. */
class Refused extends Error {
  readonly answer: Body;

  constructor(type: string, more: Body = {}) {
    super(type);
    this.answer = { __type: type, message: 'as documented', ...more };
  }
}

export async function startCannedAws(rows: Rows): Promise<CannedAws> {
  const answers = { ...dynamoAnswers(rows), ...otherAnswers() };
  let calls = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await textOf(request)) || '{}') as Body;
    calls += 1;
    const operation = String(request.headers['x-amz-target'] ?? restOperation(request.url ?? ''))
      .split('.')
      .pop();
    try {
      if (calls % throttledEvery === 0) throw new Refused('ThrottlingException');
      const act = answers[operation ?? ''];
      if (act === undefined) throw new Error(`no response to ${operation}`);
      reply(response, 200, act(body));
    } catch (error) {
      if (!(error instanceof Refused)) process.stderr.write(`canned AWS: ${String(error)}\n`);
      reply(response, 400, error instanceof Refused ? error.answer : { __type: 'ValidationException' });
    }
  }

  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close().closeAllConnections();
    },
  };
}

function dynamoAnswers(rows: Rows): Record<string, (body: Body) => Body> {
  const one = (table: unknown, key: unknown): Row | undefined => rows.get(String(table), plain(key as Item));
  return {
    GetItem: ({ TableName, Key }) => optional('Item', one(TableName, Key)),
    PutItem: () => ({}),
    DeleteItem: () => ({}),
    BatchWriteItem: () => ({ UnprocessedItems: {} }),
    TransactWriteItems: () => ({}),
    UpdateItem(body) {
      const row = one(body.TableName, body.Key) ?? {};
      const full = rows.refusing(String(body.TableName), plain(body.Key as Item));
      if (full !== undefined)
        throw new Refused('ConditionalCheckFailedException', { Item: marshalled(full) });
      const { whole, changed } = updated(marshalled({ ...plain(body.Key as Item), ...row }), body);
      if (body.ReturnValues === undefined) return {};
      return { Attributes: body.ReturnValues === 'ALL_NEW' ? whole : changed };
    },
    Query({ TableName, ExpressionAttributeValues, Limit }) {
      const values = Object.values(plain(ExpressionAttributeValues as Item)).map(String);
      const found = rows.query(String(TableName), values);
      const shown = found.slice(0, Number(Limit ?? found.length));
      return { Items: shown.map(marshalled), Count: shown.length };
    },
    Scan: ({ TableName }) => ({ Items: rows.query(String(TableName), []).map(marshalled) }),
    BatchGetItem({ RequestItems }) {
      const tables = Object.entries(RequestItems as Record<string, { readonly Keys: readonly Item[] }>);
      const found = tables.map(([table, { Keys }]) => [
        table,
        Keys.map((key) => one(table, key))
          .filter((row) => row !== undefined)
          .map(marshalled),
      ]);
      return { Responses: Object.fromEntries(found), UnprocessedKeys: {} };
    },
  };
}

function otherAnswers(): Record<string, (body: Body) => Body> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const PublicKey = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  let ids = 0;
  const newId = (): string => {
    ids += 1;
    return `canned-${ids}`;
  };
  const taken = (text: unknown) => ({
    MessageId: newId(),
    MD5OfMessageBody: createHash('md5').update(String(text)).digest('hex'),
  });
  return {
    SendMessage: ({ MessageBody }) => taken(MessageBody),
    SendMessageBatch: ({ Entries }) => ({
      Successful: (Entries as Body[]).map(({ Id, MessageBody }) => ({ Id, ...taken(MessageBody) })),
      Failed: [],
    }),
    ChangeMessageVisibility: () => ({}),
    GetPublicKey: ({ KeyId }) => ({ KeyId, PublicKey }),
    Sign: ({ KeyId, Message }) => ({
      KeyId,
      Signature: sign('sha256', Buffer.from(String(Message), 'base64'), privateKey).toString('base64'),
    }),
    GetSecretValue({ SecretId, VersionStage }) {
      if (VersionStage !== 'AWSCURRENT') throw new Refused('ResourceNotFoundException');
      return { ARN: SecretId, Name: 'otp', VersionId: newId(), SecretString: otpSecret };
    },
    CreateSchedule: () => ({ ScheduleArn: `arn:aws:scheduler:us-east-1:000000000000:schedule/${newId()}` }),
    SendTextMessage: () => ({ MessageId: newId() }),
    SendWhatsAppMessage: () => ({ messageId: newId() }),
  };
}

/** The two services that are asked by path. */
function restOperation(url: string): string {
  return url.startsWith('/schedules/') ? 'CreateSchedule' : 'SendWhatsAppMessage';
}

/** The row after the update; of its expressions, what the stores use. */
function updated(row: Item, body: Body): { readonly whole: Item; readonly changed: Item } {
  const names = (body.ExpressionAttributeNames ?? {}) as Readonly<Record<string, string>>;
  const values = (body.ExpressionAttributeValues ?? {}) as Item;
  const nameOf = (text: string): string => names[text] ?? text;
  const readValue = (text: string): AttributeValue | undefined => {
    const kept = /^if_not_exists\((\S+), *(\S+)\)$/.exec(text);
    if (kept !== null) return row[nameOf(kept[1] ?? '')] ?? readValue(kept[2] ?? '');
    return text.startsWith(':') ? values[text] : row[nameOf(text)];
  };
  const whole = { ...row };
  const changed: Item = {};
  const parts = String(body.UpdateExpression).split(/\b(SET|REMOVE|ADD|DELETE) /);
  for (let at = 1; at < parts.length; at += 2) {
    for (const part of (parts[at + 1] ?? '').split(/,(?![^(]*\))/).map((text) => text.trim())) {
      if (parts[at] === 'REMOVE') {
        delete whole[nameOf(part)];
        continue;
      }
      const [name = '', ...rest] = parts[at] === 'SET' ? part.split(' = ') : part.split(' ');
      const given = readValue(rest.join(' ').trim());
      if (given === undefined) continue;
      const before = parts[at] === 'ADD' ? Number(row[nameOf(name)]?.N ?? 0) : undefined;
      const value = before === undefined ? given : { N: String(before + Number(given.N)) };
      whole[nameOf(name)] = value;
      changed[nameOf(name)] = value;
    }
  }
  return { whole, changed };
}

const marshalled = (row: Row): Item => marshall(row, { removeUndefinedValues: true });

/** Keys and values of queries are strings and numbers. */
function plain(item: Item): Record<string, string> {
  return Object.fromEntries(Object.entries(item ?? {}).map(([name, { S, N }]) => [name, String(S ?? N)]));
}

function optional(name: string, row: Row | undefined): Body {
  return row === undefined ? {} : { [name]: marshalled(row) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function reply(response: ServerResponse, status: number, body: Body): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
