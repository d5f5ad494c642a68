/** What the fake gateway answers: sends, one-time passwords, look-ups, lists and cancellations, in memory. */
import type {
  AcceptedBatch,
  AcceptedSms,
  Channel,
  Message,
  MessageList,
  OtpVerificationResult,
  SentOtp,
} from '../generated/schema.ts';

export interface FakeReply {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

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

interface Password {
  readonly sent: SentOtp;
  readonly code: string;
  attemptsRemaining: number;
  isVerified: boolean;
}

export const refusal = (status: number, error: string, message: string, more: object = {}): FakeReply => ({
  status,
  body: { error, message, request_id: 'req_fake', ...more },
});

export class FakeApi {
  readonly sent: SentMessage[] = [];
  readonly messages = new Map<string, Message>();
  readonly passwords = new Map<string, Password>();
  readonly #batches = new Map<string, object>();
  readonly #byKey = new Map<string, { readonly request: string; readonly reply: FakeReply }>();

  answer(request: FakeRequest): FakeReply {
    const key = request.headers.get('idempotency-key');
    if (key === null) return this.#answerNew(request);
    const text = JSON.stringify([request.path, request.body]);
    const first = this.#byKey.get(key);
    if (first === undefined) {
      const reply = this.#answerNew(request);
      this.#byKey.set(key, { request: text, reply });
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
    if (operation === 'POST sms/bulk') return { status: 202, body: this.#sendBulk(body) };
    if (operation === 'POST otp/send') return { status: 202, body: this.#sendOtp(body) };
    if (operation === 'POST otp/verify') return this.#verify(body);
    if (operation === 'GET messages') return { status: 200, body: this.#list(query) };
    if (operation.startsWith('GET sms/status/')) return found(this.messages.get(id) ?? this.#batches.get(id));
    if (operation.startsWith('DELETE messages/')) return this.#cancel(id);
    const advice = `The fake gateway has no ${method} ${path}: say with replyOnce what it answers.`;
    return refusal(404, 'not_found', advice);
  }

  #send(channel: Channel, to: string, request: SentMessage['request']): Message {
    const at = new Date().toISOString();
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
      expires_at: new Date(Date.parse(at) + 86_400_000).toISOString(),
      history: [{ status, at }],
    };
    this.messages.set(message.message_id, message);
    this.sent.push({ message_id: message.message_id, channel, to, request });
    return message;
  }

  #sendBulk({ recipients, ...request }: { recipients: (string | { to: string })[] }): AcceptedBatch {
    const rows = recipients.map((row) => (typeof row === 'string' ? { to: row } : row));
    const messages = rows.map((row, index) => {
      const { message_id, recipient, status, reference } = this.#send('sms', row.to, { ...request, ...row });
      return { index, message_id, recipient, status, segments: 1, reference };
    });
    const counts = { total: rows.length, accepted: rows.length, rejected: 0 };
    const batch_id = idOf('bat', this.#batches.size + 1);
    const created_at = new Date().toISOString();
    this.#batches.set(batch_id, { batch_id, ...counts, counts: { queued: rows.length }, created_at });
    return { batch_id, status: 'accepted', ...counts, messages, errors: [] };
  }

  #sendOtp(request: { to: string; channel?: Channel; code_length?: number; ttl?: number }): SentOtp {
    const { message_id, channel, recipient, reference } = this.#send(
      request.channel ?? 'sms',
      request.to,
      request,
    );
    const sent: SentOtp = {
      otp_id: idOf('otp', this.passwords.size + 1),
      message_id,
      status: 'pending',
      channel,
      recipient,
      reference,
      expires_at: new Date(Date.now() + (request.ttl ?? 300) * 1000).toISOString(),
      attempts_remaining: 3,
    };
    const code = '1234567890'.slice(0, request.code_length ?? 6);
    this.passwords.set(sent.otp_id, { sent, code, attemptsRemaining: 3, isVerified: false });
    return sent;
  }

  #verify({ otp_id, to, code }: { otp_id?: string; to?: string; code: string }): FakeReply {
    const ofRecipient = [...this.passwords.values()].filter(({ sent }) => sent.recipient === to);
    const password = otp_id === undefined ? ofRecipient.at(-1) : this.passwords.get(otp_id);
    if (password === undefined) return found(undefined);
    const { sent } = password;
    if (password.isVerified) return refusal(409, 'otp_already_used', 'The code was verified already.');
    if (password.attemptsRemaining === 0)
      return refusal(409, 'otp_attempts_exhausted', 'There were too many wrong codes.');
    password.isVerified = password.code === code;
    if (!password.isVerified) password.attemptsRemaining -= 1;
    const { isVerified: verified, attemptsRemaining: attempts_remaining } = password;
    const result: OtpVerificationResult = verified
      ? { otp_id: sent.otp_id, verified, status: 'verified' }
      : { otp_id: sent.otp_id, verified, status: 'pending', attempts_remaining };
    return { status: 200, body: result };
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
    return { status: 200, body: this.change(message, 'canceled') };
  }

  /** Returns the message in its new state. */
  change(message: Message, status: Message['status'], more: Partial<Message> = {}): Message {
    const at = new Date().toISOString();
    const times =
      status === 'sent' || status === 'delivered' || status === 'read' ? { [`${status}_at`]: at } : {};
    const changed = { ...message, ...times, ...more, status, history: [...message.history, { status, at }] };
    this.messages.set(message.message_id, changed);
    return changed;
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

const found = (body: object | undefined): FakeReply =>
  body === undefined ? refusal(404, 'not_found', 'There is no such resource.') : { status: 200, body };

const idOf = (kind: string, count: number): string => `${kind}_${String(count).padStart(26, '0')}`;

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);
