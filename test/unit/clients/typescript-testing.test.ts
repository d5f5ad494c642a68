/** The fake gateway behaves as the gateway does, towards an application that uses the client in TypeScript. */
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { responseOf } from '../../../clients/typescript/src/response.ts';
import { fakeGateway } from '../../../clients/typescript/src/testing/fake-gateway.ts';
import { signedWebhook } from '../../../clients/typescript/src/testing/signed-webhook.ts';
import { verifyWebhook } from '../../../clients/typescript/src/webhook.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';

const sms = { to: '+447700900123', message: 'Hello' };

/** The faults of a value, by the schema of the API document. */
function faultsOf(schema: string, value: object): unknown {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(JSON.parse(JSON.stringify(openApiDocument())), 'api');
  const validate = ajv.compile({ $ref: `api#/components/schemas/${schema}` });
  return validate(value) ? [] : validate.errors;
}

describe('the fake gateway', () => {
  it('answers as the API document says', async () => {
    const { gateway } = fakeGateway();
    const accepted = await gateway.sms.send({ ...sms, reference: 'r' });
    const whatsapp = await gateway.whatsapp.send(sms);
    const batch = await gateway.sms.sendBulk({
      message: 'Hello',
      recipients: ['+447700900123', { to: '+33' }],
    });
    const otp = await gateway.otp.send({ to: sms.to });
    const answers: [string, object][] = [
      ['AcceptedSms', accepted],
      ['AcceptedWhatsapp', whatsapp],
      ['AcceptedBatch', batch],
      ['SentOtp', otp],
      ['OtpVerificationResult', await gateway.otp.verify({ otp_id: otp.otp_id, code: '0' })],
      ['Message', await gateway.messages.get(accepted.message_id)],
      ['Batch', await gateway.batches.get(batch.batch_id)],
      ['MessageList', await gateway.messages.list()],
      [
        'ErrorResponse',
        await gateway.account
          .get()
          .catch(({ error, message, request_id }) => ({ error, message, request_id })),
      ],
    ];
    expect(answers.map(([schema, answer]) => [schema, faultsOf(schema, answer)])).toEqual(
      answers.map(([schema]) => [schema, []]),
    );
  });

  it('shows what the application sent, bulks and one-time passwords included', async () => {
    const { gateway, sent, requests } = fakeGateway();
    await gateway.sms.send(sms);
    await gateway.sms.sendBulk({
      message: 'Hi {{name}}',
      recipients: [{ to: '+33', variables: { name: 'Ada' } }],
    });
    await gateway.otp.send({ to: '+49', channel: 'whatsapp' });
    expect(sent.map(({ channel, to, request }) => [channel, to, request.message])).toEqual([
      ['sms', '+447700900123', 'Hello'],
      ['sms', '+33', 'Hi {{name}}'],
      ['whatsapp', '+49', undefined],
    ]);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v1/sms/send',
      'POST /api/v1/sms/bulk',
      'POST /api/v1/otp/send',
    ]);
  });

  it('sends nothing twice with one key', async () => {
    const { gateway, sent } = fakeGateway();
    const options = { idempotencyKey: 'order-42' };
    const first = await gateway.sms.send(sms, options);
    const second = await gateway.sms.send(sms, options);
    expect([second.message_id, responseOf(second).isReplay, sent.length]).toEqual([
      first.message_id,
      true,
      1,
    ]);
    await expect(gateway.sms.send({ ...sms, message: 'Other' }, options)).rejects.toMatchObject({
      status: 422,
    });
  });

  it('refuses once what it was told to refuse', async () => {
    const { gateway, sent, replyOnce } = fakeGateway();
    replyOnce({ status: 429, body: { error: 'rate_limit_exceeded', message: 'Wait.', retry_after: 7 } });
    await expect(gateway.sms.send(sms)).rejects.toMatchObject({ name: 'RateLimitError', retry_after: 7 });
    await gateway.sms.send(sms);
    expect(sent).toHaveLength(1);
  });

  it('repeats at once where retries are on', async () => {
    const { gateway, sent, replyOnce } = fakeGateway({ maxRetries: 1 });
    replyOnce({ status: 429, body: { error: 'rate_limit_exceeded', message: 'Wait.', retry_after: 7 } });
    await gateway.sms.send(sms);
    expect(sent).toHaveLength(1);
  });

  it('verifies a one-time password by its code, once', async () => {
    const { gateway, codeOf } = fakeGateway();
    const { otp_id } = await gateway.otp.send({ to: sms.to, code_length: 4 });
    expect(await gateway.otp.verify({ otp_id, code: 'no' })).toMatchObject({
      verified: false,
      attempts_remaining: 4,
    });
    expect(await gateway.otp.verify({ to: sms.to, code: codeOf(otp_id) })).toMatchObject({ verified: true });
    await expect(gateway.otp.verify({ otp_id, code: codeOf(otp_id) })).rejects.toMatchObject({ status: 409 });
  });

  it('finds a one-time password only by what is its own', async () => {
    const { gateway, codeOf } = fakeGateway();
    const { otp_id } = await gateway.otp.send({ to: sms.to, purpose: 'sign-in' });
    const code = codeOf(otp_id);
    for (const wrong of [
      { otp_id, purpose: 'pay' },
      { otp_id, to: '+33' },
      { to: sms.to },
      { otp_id: 'otp_no' },
    ])
      await expect(gateway.otp.verify({ ...wrong, code })).rejects.toMatchObject({ error: 'not_found' });
    const right = { to: sms.to, purpose: 'sign-in', code };
    expect(await gateway.otp.verify(right)).toMatchObject({ otp_id, verified: true });
  });

  it('keeps a one-time password that is sent again while it is pending, and limits them', async () => {
    const { gateway, codeOf, sent } = fakeGateway();
    const first = await gateway.otp.send({ to: sms.to, max_attempts: 1, ttl: 60 });
    const again = await gateway.otp.send({ to: sms.to, code_length: 4 });
    expect(again).toMatchObject({
      otp_id: first.otp_id,
      expires_at: first.expires_at,
      attempts_remaining: 1,
    });
    expect([codeOf(again.otp_id).length, sent.length, again.message_id === first.message_id]).toEqual([
      6,
      2,
      false,
    ]);
    expect((await gateway.otp.send({ to: sms.to, purpose: 'pay' })).otp_id).not.toBe(first.otp_id);
    await gateway.otp.verify({ otp_id: first.otp_id, code: '0000' });
    await expect(gateway.otp.verify({ otp_id: first.otp_id, code: '0000' })).rejects.toMatchObject({
      error: 'otp_attempts_exhausted',
    });
    expect((await gateway.otp.send({ to: sms.to })).otp_id).not.toBe(first.otp_id);
    await gateway.otp.send({ to: sms.to });
    await expect(gateway.otp.send({ to: sms.to })).rejects.toMatchObject({ error: 'rate_limit_exceeded' });
    await gateway.otp.send({ to: '+33' });
  });

  it('reports a bulk row that is a duplicate or misses a variable, and none at all if all are', async () => {
    const { gateway } = fakeGateway();
    const message = 'Hi {{ name }}';
    const ada = { to: '+33', variables: { name: 'Ada' } };
    const { accepted, rejected, errors, batch_id } = await gateway.sms.sendBulk({
      message,
      recipients: [ada, { to: '+34', variables: { name: null } }, ada],
    });
    expect([accepted, rejected, errors.map(({ index, error }) => [index, error])]).toEqual([
      1,
      2,
      [
        [1, 'missing_variable'],
        [2, 'duplicate_recipient'],
      ],
    ]);
    expect(await gateway.batches.get(batch_id)).toMatchObject({ counts: { queued: 1 }, rejected: 2 });
    await expect(gateway.sms.sendBulk({ message, recipients: ['+33'] })).rejects.toMatchObject({
      error: 'no_valid_recipients',
      details: [{ field: 'recipients[0].variables' }],
    });
  });

  it('takes a key for each endpoint, and nulls and defaults for what they mean', async () => {
    const { gateway, sent } = fakeGateway();
    const options = { idempotencyKey: 'order-42' };
    await gateway.sms.send(sms, options);
    const same = { message: sms.message, to: sms.to, type: 'transactional', reference: null } as const;
    expect(responseOf(await gateway.sms.send(same, options)).isReplay).toBe(true);
    await gateway.otp.send({ to: sms.to }, options);
    await gateway.otp.send({ to: sms.to, channel: 'sms', ttl: 300, purpose: 'default' }, options);
    expect(sent).toHaveLength(2);
    const { message_id } = await gateway.sms.send(sms);
    const { created_at, expires_at } = await gateway.messages.get(message_id);
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(72 * 3_600_000);
  });

  it('has the events of the gateway only, and no state that goes back', async () => {
    const { gateway, setStatus, webhookSecret } = fakeGateway();
    const event = (...given: Parameters<typeof setStatus>) => {
      const { body, headers } = setStatus(...given);
      return verifyWebhook(body, headers, webhookSecret);
    };
    const whatsapp = await gateway.whatsapp.send(sms);
    const text = await gateway.sms.send(sms);
    const timedOut = event(whatsapp.message_id, 'expired');
    expect(timedOut).toMatchObject({
      event: 'whatsapp.failed',
      data: { status: 'expired', error_code: 'expired' },
    });
    expect(event(text.message_id, 'expired')).toMatchObject({
      event: 'sms.expired',
      data: { status: 'expired', error_code: 'expired' },
    });
    expect(event(whatsapp.message_id, 'read')).toMatchObject({ event: 'whatsapp.read' });
    const read = await gateway.messages.get(whatsapp.message_id);
    expect(read.history.map(({ status }) => status)).toEqual([
      'queued',
      'sent',
      'expired',
      'delivered',
      'read',
    ]);
    expect(faultsOf('WebhookEvent', timedOut)).toEqual([]);
    event(text.message_id, 'delivered');
    for (const status of ['sent', 'delivered', 'failed', 'expired', 'read', 'queued'] as const)
      expect(() => setStatus(text.message_id, status as 'sent')).toThrow('cannot be');
    const scheduled = await gateway.sms.send({ ...sms, scheduled_at: '2030-01-01T00:00:00Z' });
    await gateway.messages.cancel(scheduled.message_id);
    expect(() => setStatus(scheduled.message_id, 'delivered')).toThrow('cannot be');
    const other = await gateway.sms.send(sms);
    expect(() => setStatus(other.message_id, 'sent', 'unreachable')).toThrow('no error code');
  });

  it('changes a message, and gives the webhook that tells of it', async () => {
    const { gateway, setStatus, webhookSecret } = fakeGateway();
    const { message_id } = await gateway.sms.send({ ...sms, reference: 'r' });
    const { body, headers } = setStatus(message_id, 'failed', 'unreachable');
    const event = verifyWebhook(body, headers, webhookSecret);
    expect(event).toMatchObject({
      event: 'sms.failed',
      data: { message_id, reference: 'r', error_code: 'unreachable' },
    });
    expect(faultsOf('WebhookEvent', event)).toEqual([]);
    expect(await gateway.messages.get(message_id)).toMatchObject({
      status: 'failed',
      error: { code: 'unreachable' },
    });
    expect(() => setStatus('msg_none', 'sent')).toThrow('msg_none');
  });

  it('lists in pages, the newest first, by status and reference', async () => {
    const { gateway, setStatus } = fakeGateway();
    for (const reference of ['a', 'b', 'c']) await gateway.sms.send({ ...sms, reference });
    const [newest] = (await gateway.messages.list({ limit: 2 })).messages;
    expect(newest?.reference).toBe('c');
    const all = await gateway.messages.list({ limit: 2 }).toArray();
    expect(all.map(({ reference }) => reference)).toEqual(['c', 'b', 'a']);
    setStatus(String(newest?.message_id), 'sent');
    expect(await gateway.messages.list({ status: 'sent' }).toArray()).toHaveLength(1);
    expect(await gateway.messages.list({ reference: 'a' }).toArray()).toHaveLength(1);
  });

  it('cancels what is scheduled, and nothing else', async () => {
    const { gateway } = fakeGateway();
    const scheduled = await gateway.sms.send({ ...sms, scheduled_at: '2030-01-01T00:00:00Z' });
    expect(scheduled.status).toBe('scheduled');
    expect(await gateway.messages.cancel(scheduled.message_id)).toMatchObject({ status: 'canceled' });
    const { message_id } = await gateway.sms.send(sms);
    await expect(gateway.messages.cancel(message_id)).rejects.toMatchObject({ error: 'not_cancelable' });
  });

  it('says how to answer what it does not know', async () => {
    const { gateway, replyOnce } = fakeGateway();
    await expect(gateway.account.get()).rejects.toThrow('replyOnce');
    replyOnce({ status: 200, body: { client_id: 'client_1', name: 'Test', webhook_url: null, limits: {} } });
    expect(await gateway.account.get()).toMatchObject({ name: 'Test' });
  });
});

it('a signed webhook is accepted with its secret and no other, and not when it is old', () => {
  const secret = `whsec_${btoa('a'.repeat(32))}`;
  const event = { event: 'sms.delivered', data: { message_id: 'msg_1' } };
  const { body, headers } = signedWebhook(event, secret, { id: 'whd_1' });
  expect(headers['webhook-id']).toBe('whd_1');
  expect(verifyWebhook(body, headers, secret)).toMatchObject(event);
  expect(() => verifyWebhook(body, headers, `whsec_${btoa('b'.repeat(32))}`)).toThrow('No signature');
  const old = signedWebhook(event, secret, { at: new Date(Date.now() - 3_600_000) });
  expect(() => verifyWebhook(old.body, old.headers, secret)).toThrow('five minutes');
});
