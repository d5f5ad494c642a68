/** What the fake gateway answers: sends, one-time passwords, look-ups, lists and cancellations, in memory. */
import type {
  AcceptedBatch,
  AcceptedSms,
  Batch,
  BulkSms,
  Channel,
  Message,
  MessageList,
} from '../generated/schema.ts';
import { FakePasswords } from './fake-passwords.ts';
import { type FakeReply, idOf, meaningOf, notFound, refusal, validitySeconds } from './fake-reply.ts';

export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the body of any operation, which the client's types have checked
  readonly body: any;
}

/** A message that the application sent. */
export interface SentMessage {
  readonly message_id: string;
  readonly channel: Channel;
  readonly to: string;
  /** What the application gave: of a bulk the fields of the request with those of the recipient. */
  readonly request: Readonly<Record<string, unknown>>;
}

export class FakeApi {
  readonly sent: SentMessage[] = [];
  readonly messages = new Map<string, Message>();
  readonly passwords = new FakePasswords();
  readonly #batches = new Map<string, Omit<Batch, 'counts'>>();
  readonly #batchOf = new Map<string, string>();
  readonly #byKey = new Map<string, { readonly request: string; readonly reply: FakeReply }>();

  answer(request: FakeRequest): FakeReply {
    const key = request.headers.get('idempotency-key');
    if (key === null) return this.#answerNew(request);
    // Of each endpoint.
    const id = `${request.path} ${key}`;
    const text = meaningOf(request.path, request.body);
    const first = this.#byKey.get(id);
    if (first === undefined) {
      const reply = this.#answerNew(request);
      // A request that was refused has stored nothing.
      if (reply.status === 202) this.#byKey.set(id, { request: text, reply });
      return reply;
    }
    if (first.request !== text)
      return refusal(422, 'idempotency_key_reused', 'The key was used for another request.');
    return { ...first.reply, headers: { 'Idempotent-Replayed': 'true' } };
  }

  #answerNew({ method, path, query, body }: FakeRequest): FakeReply {
    const id = decodeURIComponent(path.split('/').at(-1) ?? '');
    const operation = query.dry_run === undefined ? `${method} ${path.replace('/api/v1/', '')}` : 'dry run';
    if (operation === 'POST auth/token')
      return { status: 200, body: { access_token: 'fake-token', token_type: 'bearer', expires_in: 3600 } };
    if (operation === 'POST sms/send')
      return { status: 202, body: accepted(this.#send('sms', body.to, body)) };
    if (operation === 'POST whatsapp/send')
      return { status: 202, body: accepted(this.#send('whatsapp', body.to, body)) };
    if (operation === 'POST sms/bulk') return this.#sendBulk(body);
    if (operation === 'POST otp/send')
      return this.passwords.send(body, (expires_at) => ({
        ...this.#send(body.channel ?? 'sms', body.to, body),
        expires_at,
      }));
    if (operation === 'POST otp/verify') return this.passwords.verify(body);
    if (operation === 'GET messages') return { status: 200, body: this.#list(query) };
    if (operation.startsWith('GET sms/status/')) return found(this.messages.get(id) ?? this.#batch(id));
    if (operation.startsWith('DELETE messages/')) return this.#cancel(id);
    const advice = `The fake gateway has no ${method} ${path}: say with replyOnce what it answers.`;
    return refusal(404, 'not_found', advice);
  }

  #send(channel: Channel, to: string, request: SentMessage['request']): Message {
    const at = new Date().toISOString();
    const validityMs = (Number(request.validity_period) || validitySeconds) * 1000;
    const status = typeof request.scheduled_at === 'string' ? 'scheduled' : 'queued';
    const message: Message = {
      message_id: idOf('msg', this.sent.length + 1),
      client_id: 'client_fake',
      channel,
      status,
      recipient: to,
      from: textOr(request.from),
      type: request.type === 'promotional' ? 'promotional' : 'transactional',
      reference: textOr(request.reference),
      ...(channel === 'sms' ? { encoding: 'GSM-7', segments: 1 } : {}),
      cost: null,
      currency: null,
      error: null,
      created_at: at,
      scheduled_at: textOr(request.scheduled_at),
      sent_at: null,
      delivered_at: null,
      read_at: null,
      expires_at: new Date(
        (Date.parse(textOr(request.scheduled_at) ?? '') || Date.parse(at)) + validityMs,
      ).toISOString(),
      history: [{ status, at }],
    };
    this.messages.set(message.message_id, message);
    this.sent.push({ message_id: message.message_id, channel, to, request });
    return message;
  }

  #sendBulk({ recipients, ...request }: BulkSms): FakeReply {
    const rows: readonly BulkRow[] = recipients.map((row) => (typeof row === 'string' ? { to: row } : row));
    const errors: AcceptedBatch['errors'] = [];
    const accepted: (BulkRow & { readonly index: number })[] = [];
    for (const [index, row] of rows.entries()) {
      const fault = faultOf(row, request.message, accepted);
      if (fault === undefined) accepted.push({ index, ...row });
      else errors.push({ index, to: row.to, ...fault });
    }
    if (accepted.length === 0) {
      const details = errors.map(({ index, error, message }) => ({
        field: `recipients[${index}]${faultyField[error]}`,
        message,
      }));
      return refusal(400, 'no_valid_recipients', 'None of the recipients can be sent to.', { details });
    }
    const batch_id = idOf('bat', this.#batches.size + 1);
    const messages = accepted.map(({ index, ...row }) => {
      const reference = row.reference ?? request.reference;
      const message = this.#send('sms', row.to, { ...request, ...row, reference });
      this.#batchOf.set(message.message_id, batch_id);
      const { message_id, recipient, status } = message;
      return { index, message_id, recipient, status, segments: 1, reference: message.reference };
    });
    const counts = { total: rows.length, accepted: accepted.length, rejected: errors.length };
    this.#batches.set(batch_id, { batch_id, ...counts, created_at: new Date().toISOString() });
    const body: AcceptedBatch = { batch_id, status: 'accepted', ...counts, messages, errors };
    return { status: 202, body };
  }

  #batch(id: string): Batch | undefined {
    const batch = this.#batches.get(id);
    if (batch === undefined) return undefined;
    const counts: Record<string, number> = {};
    for (const { message_id, status } of this.messages.values())
      if (this.#batchOf.get(message_id) === id) counts[status] = (counts[status] ?? 0) + 1;
    return { ...batch, counts };
  }

  #list({ limit = '50', cursor = '0', ...query }: FakeRequest['query']): MessageList {
    const isWanted = (message: Message): boolean =>
      (['status', 'channel', 'reference'] as const).every(
        (name) => query[name] === undefined || message[name] === query[name],
      );
    const all = [...this.messages.values()].filter(isWanted).reverse();
    const end = Number(cursor) + Number(limit);
    return {
      messages: all.slice(Number(cursor), end),
      ...(end < all.length ? { next_cursor: String(end) } : {}),
    };
  }

  #cancel(id: string): FakeReply {
    const message = this.messages.get(id);
    if (message === undefined) return found(undefined);
    if (message.status === 'canceled') return { status: 200, body: message };
    if (message.status !== 'scheduled')
      return refusal(409, 'not_cancelable', 'Only a scheduled message can be canceled.');
    const entry = { status: 'canceled', at: new Date().toISOString() } as const;
    const canceled: Message = { ...message, status: 'canceled', history: [...message.history, entry] };
    this.messages.set(id, canceled);
    return { status: 200, body: canceled };
  }
}

function accepted(message: Message): AcceptedSms | Omit<AcceptedSms, 'encoding' | 'segments'> {
  const { message_id, status, channel, recipient, reference, created_at } = message;
  const { scheduled_at, encoding, segments } = message;
  return {
    ...{ message_id, status, channel, recipient, reference, created_at },
    ...(scheduled_at === null ? {} : { scheduled_at }),
    ...(encoding && segments ? { encoding, segments } : {}),
  };
}

type BulkRow = Exclude<BulkSms['recipients'][number], string>;

/** Where a row has the fault. */
const faultyField: Readonly<Record<string, string>> = {
  duplicate_recipient: '.to',
  missing_message: '.message',
  missing_variable: '.variables',
};

function faultOf(
  { to, message, variables }: BulkRow,
  template: string | null | undefined,
  accepted: readonly { readonly to: string; readonly index: number }[],
): { readonly error: string; readonly message: string } | undefined {
  const first = accepted.find((row) => row.to === to);
  if (first !== undefined)
    return { error: 'duplicate_recipient', message: `The recipient is already in row ${first.index}.` };
  const text = message ?? template ?? undefined;
  if (text === undefined)
    return { error: 'missing_message', message: 'Neither the row nor the request has a message.' };
  const values: Readonly<Record<string, unknown>> = variables ?? {};
  const names = Array.from(
    text.matchAll(/\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,63})\s*\}\}/g),
    ([, name = '']) => name,
  );
  const missing = [...new Set(names)].filter((name) => (values[name] ?? null) === null);
  return missing.length === 0
    ? undefined
    : { error: 'missing_variable', message: `No value is given for ${missing.join(', ')}.` };
}

const found = (body: object | undefined): FakeReply =>
  body === undefined ? notFound : { status: 200, body };

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);
