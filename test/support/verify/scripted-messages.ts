/** What a scripted stage does with messages: their states follow from the time at which one asks. */
import type { Request, Response } from '../../../bin/verify/verified-stage.ts';
import { type Fault, response, signatureOf } from './scripted-stage.ts';

interface Message {
  readonly sentAt: number;
  canceled: boolean;
}

const secret = `whsec_${Buffer.from('the secret of the endpoint').toString('base64')}`;
const rightCode = '123456';

export class GatewayMessages {
  readonly webhooks: { headers: Record<string, string>; body: string }[] = [];
  private readonly has: (fault: Fault) => boolean;
  private readonly now: () => Date;
  private readonly messages = new Map<string, Message>();
  private readonly keys = new Map<string, string>();
  private readonly batches = new Map<string, number>();
  private readonly passwords = new Map<string, { verified: boolean }>();
  private readonly recipients: string[] = [];
  private endpoints = 0;

  constructor(has: (fault: Fault) => boolean, now: () => Date) {
    this.has = has;
    this.now = now;
  }

  async handle(client: string, method: string, path: string, request: Request): Promise<Response> {
    const fields = (request.body ?? {}) as Record<string, string | undefined>;
    const id = path.split('/').at(-1) ?? '';
    if (path.startsWith('/api/v1/test/outbox')) return this.outbox(path);
    if (path === '/api/v1/sms/send') return this.send(fields, request.headers?.['Idempotency-Key']);
    if (path === '/api/v1/sms/bulk') return this.bulk(client);
    if (path === '/api/v1/otp/send') return this.sendPassword(fields);
    if (path === '/api/v1/otp/verify') return this.verifyPassword(fields);
    if (path.startsWith('/api/v1/webhook-')) return this.webhook(method, path);
    if (method === 'DELETE') return this.cancel(id);
    return this.status(id);
  }

  private get time(): number {
    return this.now().getTime();
  }

  private send({ scheduled_at }: Record<string, string | undefined>, key?: string): Response {
    const known =
      key === undefined || this.has('idempotency keys are ignored') ? undefined : this.keys.get(key);
    const id = known ?? `msg_${this.messages.size}`;
    if (key !== undefined) this.keys.set(key, id);
    const late = this.has('scheduled messages go out late') ? 5001 : 900;
    const scheduledMs = this.has('scheduled messages go out early') ? -1 : late;
    const sentAt = scheduled_at === undefined ? this.time + 300 : Date.parse(scheduled_at) + scheduledMs;
    if (known === undefined) this.messages.set(id, { sentAt, canceled: false });
    this.postWebhook(id);
    return response(202, { message_id: id });
  }

  private postWebhook(id: string): void {
    const [webhookId, timestamp, body] = [
      'whd_1',
      '1795690000',
      JSON.stringify({ data: { message_id: id } }),
    ];
    const key = this.has('webhooks are signed with another secret') ? `whsec_${btoa('another')}` : secret;
    const headers = {
      'webhook-id': webhookId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatureOf(key, webhookId, timestamp, body),
    };
    this.webhooks.push({ headers, body });
  }

  private status(id: string): Response {
    const sentAt = this.batches.get(id);
    if (sentAt !== undefined)
      return response(200, { counts: sentAt > this.time ? { queued: 1 } : { sent: 1 } });
    const message = this.messages.get(id);
    if (message === undefined) return response(404, { error: 'not_found' });
    const iso = (at: number): string | null => (at <= this.time ? new Date(at).toISOString() : null);
    return response(200, {
      status: message.canceled ? 'canceled' : 'scheduled',
      sent_at: iso(message.sentAt),
      delivered_at: this.has('receipts do not come') ? null : iso(message.sentAt + 1000),
    });
  }

  private cancel(id: string): Response {
    const message = this.messages.get(id);
    if (message !== undefined) message.canceled = !this.has('canceling does nothing');
    return response(200, { status: 'canceled' });
  }

  private bulk(client: string): Response {
    const id = `bat_${this.batches.size}`;
    const isBusy = client === 'checks' || this.has('queues are not shared fairly');
    this.batches.set(id, this.time + (isBusy ? 120_000 : 2000));
    return response(202, { batch_id: id });
  }

  private sendPassword({ to = '' }: Record<string, string | undefined>): Response {
    this.recipients.push(to);
    const id = `otp_${this.passwords.size}`;
    this.passwords.set(id, { verified: false });
    return response(202, { otp_id: id });
  }

  private outbox(path: string): Response {
    const to = new URLSearchParams(path.split('?')[1]).get('to') ?? '';
    return response(200, {
      messages: this.recipients.includes(to) ? [{ body: `Your code is ${rightCode}.` }] : [],
    });
  }

  private verifyPassword({ otp_id = '', code }: Record<string, string | undefined>): Response {
    const password = this.passwords.get(otp_id);
    if (password?.verified === true) return response(409, { error: 'otp_already_used' });
    const verified = code === rightCode || this.has('every code is right');
    if (password !== undefined) password.verified = code === rightCode;
    return response(200, { verified });
  }

  private webhook(method: string, path: string): Response {
    if (method === 'POST') {
      this.endpoints += 1;
      return response(201, { endpoint_id: `whe_${this.endpoints}`, secret });
    }
    if (path.includes('?')) return response(200, { webhook_deliveries: [{ delivery_id: 'whd_1' }] });
    const [ended, early] = [Date.parse('2026-11-26T10:00:21.000Z'), this.has('webhooks are retried early')];
    const attempt = (due: number, lateness_ms: number) => ({
      due_at: new Date(due).toISOString(),
      ended_at: new Date(due).toISOString(),
      lateness_ms,
    });
    return response(200, { attempt_log: [attempt(ended, 5), attempt(ended + 30_000, early ? -1 : 700)] });
  }
}
