/** Sending, looking up, canceling. Where it can, a check schedules its messages and cancels them again. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from './api.ts';
import { anyRecipient, assertRefused, type Check, inOneDay } from './check.ts';

const sendPath = '/api/v1/sms/send';
const unknownId = 'msg_00000000000000000000000000';

const scheduled = () => ({ to: anyRecipient(), message: 'Conformance', scheduled_at: inOneDay() });

async function cancel(api: Api, id: unknown): Promise<void> {
  const response = await api.call('DELETE', `/api/v1/messages/${String(id)}`);
  assert.deepEqual([response.status, response.body.status], [200, 'canceled']);
}

export const messageChecks: readonly Check[] = [
  {
    name: 'an SMS is accepted with 202, unknown fields are ignored, and its status can be looked up',
    async run(api) {
      const to = anyRecipient();
      const body = { to, message: 'Héllo', reference: 'conformance', from: null, unheard_of: { of: 1 } };
      const sent = await api.call('POST', sendPath, { body });
      assert.equal(sent.status, 202);
      const { recipient, status, encoding, segments, reference } = sent.body;
      assert.deepEqual(
        { recipient, status, encoding, segments, reference },
        { recipient: to, status: 'queued', encoding: 'GSM-7', segments: 1, reference: 'conformance' },
      );
      const found = await api.call('GET', `/api/v1/sms/status/${String(sent.body.message_id)}`);
      assert.equal(found.status, 200);
      assert.equal(found.body.client_id, api.target.clientId);
    },
  },
  {
    name: 'segments are counted by the alphabet that the text needs',
    async run(api) {
      const cases = [
        ['x'.repeat(161), 'GSM-7', 2],
        [`${'x'.repeat(70)}…`, 'UCS-2', 2],
        ['[]'.repeat(40), 'GSM-7', 1],
      ] as const;
      for (const [message, encoding, segments] of cases) {
        const { body } = await api.call('POST', sendPath, { body: { ...scheduled(), message } });
        assert.deepEqual([body.encoding, body.segments], [encoding, segments]);
        await cancel(api, body.message_id);
      }
    },
  },
  {
    name: 'a scheduled message can be canceled, and again; one that is not scheduled can not',
    async run(api) {
      const { body } = await api.call('POST', sendPath, { body: scheduled() });
      assert.equal(body.status, 'scheduled');
      await cancel(api, body.message_id);
      await cancel(api, body.message_id);
      const now = await api.call('POST', sendPath, { body: { to: anyRecipient(), message: 'Conformance' } });
      const path = `/api/v1/messages/${String(now.body.message_id)}`;
      assertRefused(await api.call('DELETE', path), 409, 'not_cancelable');
    },
  },
  {
    name: 'what does not exist, or has no such form, is 404',
    async run(api) {
      for (const id of [unknownId, 'bat_00000000000000000000000000', 'nonsense', '%2e%2e', 'msg_']) {
        assertRefused(await api.call('GET', `/api/v1/sms/status/${id}`), 404, 'not_found');
      }
      assertRefused(await api.call('DELETE', `/api/v1/messages/${unknownId}`), 404, 'not_found');
      const body = { otp_id: 'otp_00000000000000000000000000', code: '123456' };
      assertRefused(await api.call('POST', '/api/v1/otp/verify', { body }), 404, 'not_found');
    },
  },
  {
    name: 'a repeat under the same key gets the first response byte for byte, marked as a repeat',
    async run(api) {
      const headers = { 'Idempotency-Key': randomUUID() };
      const body = scheduled();
      const responses = await Promise.all(
        Array.from({ length: 5 }, () => api.call('POST', sendPath, { headers, body })),
      );
      assert.equal(new Set(responses.map(({ text }) => text)).size, 1);
      const replayed = responses.filter((response) => response.headers.get('idempotent-replayed') === 'true');
      assert.equal(replayed.length, 4);
      const other = await api.call('POST', sendPath, { headers, body: { ...body, message: 'Other' } });
      assertRefused(other, 422, 'idempotency_key_reused');
      await cancel(api, responses[0]?.body.message_id);
    },
  },
  {
    name: 'a key of another form is refused',
    async run(api) {
      for (const key of ['with space', 'x'.repeat(256)]) {
        const headers = { 'Idempotency-Key': key };
        const response = await api.call('POST', sendPath, { headers, body: scheduled() });
        assertRefused(response, 400, 'invalid_request', ['Idempotency-Key']);
      }
    },
  },
  {
    name: 'a bulk send reports bad rows and sends the others; one without a good row is refused',
    async run(api) {
      const [one, two] = ['+447700900998', '+447700900999'];
      const recipients = [{ to: one, variables: { name: 'Ada' } }, '+33', { to: two }, one];
      const body = { message: 'Hi {{name}}', scheduled_at: inOneDay(), recipients };
      const sent = await api.call('POST', '/api/v1/sms/bulk', { body });
      assert.equal(sent.status, 202);
      assert.deepEqual([sent.body.total, sent.body.accepted, sent.body.rejected], [4, 1, 3]);
      const errors = sent.body.errors as { index: number; error: string }[];
      assert.deepEqual(
        errors.map(({ index, error }) => [index, error]),
        [
          [1, 'invalid_recipient'],
          [2, 'missing_variable'],
          [3, 'duplicate_recipient'],
        ],
      );
      const batch = await api.call('GET', `/api/v1/sms/status/${String(sent.body.batch_id)}`);
      assert.deepEqual([batch.body.accepted, batch.body.counts], [1, { scheduled: 1 }]);
      const messages = sent.body.messages as { message_id: string }[];
      await cancel(api, messages[0]?.message_id);
      const none = await api.call('POST', '/api/v1/sms/bulk', {
        body: { message: 'Hi', recipients: ['+33'] },
      });
      assertRefused(none, 400, 'no_valid_recipients');
    },
  },
  {
    name: 'a WhatsApp message is a text where it names no type; its content is checked',
    async run(api) {
      const { to, scheduled_at } = scheduled();
      const path = '/api/v1/whatsapp/send';
      const contents = [
        { message: 'Hi' },
        { type: 'template', template: { name: 'parcel', language: 'en_GB', parameters: { body: ['Ada'] } } },
        { type: 'image', media: { url: 'https://example.com/map.png' } },
        { type: 'location', location: { latitude: 51.5, longitude: -0.1 } },
      ];
      for (const content of contents) {
        const { status, body } = await api.call('POST', path, { body: { to, scheduled_at, ...content } });
        assert.deepEqual([status, body.channel], [202, 'whatsapp']);
        await cancel(api, body.message_id);
      }
      const response = await api.call('POST', path, { body: { to, type: 'image', media: {} } });
      assertRefused(response, 400, 'invalid_request');
    },
  },
  {
    name: 'a list goes on from its cursor, holds to its filters, and refuses what it does not know',
    async run(api) {
      const reference = `conformance-${randomUUID()}`;
      const ids: unknown[] = [];
      for (let index = 0; index < 2; index += 1) {
        const { body } = await api.call('POST', sendPath, { body: { ...scheduled(), reference } });
        ids.unshift(body.message_id);
        await cancel(api, body.message_id);
      }
      const query = `reference=${reference}&status=canceled&channel=sms&limit=1`;
      const seen: unknown[] = [];
      let cursor = '';
      do {
        const { body } = await api.call('GET', `/api/v1/messages?${query}${cursor}`);
        seen.push(...(body.messages as { message_id: string }[]).map((message) => message.message_id));
        cursor = body.next_cursor === undefined ? '' : `&cursor=${String(body.next_cursor)}`;
      } while (cursor !== '');
      assert.deepEqual(seen, ids);
      const sent = await api.call('POST', sendPath, { body: scheduled() });
      await cancel(api, sent.body.message_id);
      const byRecipient = await api.call(
        'GET',
        `/api/v1/messages?to=${encodeURIComponent(String(sent.body.recipient))}`,
      );
      const [newest] = byRecipient.body.messages as { message_id: string }[];
      assert.equal(newest?.message_id, sent.body.message_id);
      for (const wrong of ['limit=0', 'limit=101', 'status=lost', 'since=yesterday', 'cursor=x']) {
        assertRefused(await api.call('GET', `/api/v1/messages?${wrong}`), 400, 'invalid_request');
      }
    },
  },
  {
    name: 'a one-time password counts its attempts and ends with the last',
    async run(api) {
      const to = anyRecipient();
      const sendOtp = { to, max_attempts: 2, purpose: `conformance-${Date.now()}` };
      const sent = await api.call('POST', '/api/v1/otp/send', { body: sendOtp });
      assert.deepEqual([sent.status, sent.body.attempts_remaining], [202, 2]);
      const again = await api.call('POST', '/api/v1/otp/send', { body: sendOtp });
      assert.equal(again.body.otp_id, sent.body.otp_id);
      const verify = { otp_id: sent.body.otp_id, code: '0000' };
      for (const left of [1, 0]) {
        const { body } = await api.call('POST', '/api/v1/otp/verify', { body: verify });
        assert.deepEqual([body.verified, body.attempts_remaining], [false, left]);
      }
      const last = await api.call('POST', '/api/v1/otp/verify', { body: verify });
      assertRefused(last, 409, 'otp_attempts_exhausted');
    },
  },
  {
    name: 'an account shows its limits; its webhook URL can be set and removed, and nothing else',
    async run(api) {
      const { body } = await api.call('GET', '/api/v1/account');
      const before = body.webhook_url;
      const set = { webhook_url: 'https://example.com/conformance', name: 'Other' };
      const changed = await api.call('PATCH', '/api/v1/account', { body: set });
      assert.deepEqual([changed.body.webhook_url, changed.body.name], [set.webhook_url, body.name]);
      const removed = await api.call('PATCH', '/api/v1/account', { body: { webhook_url: null } });
      assert.equal(removed.body.webhook_url, null);
      await api.call('PATCH', '/api/v1/account', { body: { webhook_url: before } });
      const wrong = await api.call('PATCH', '/api/v1/account', {
        body: { webhook_url: 'ftp://example.com' },
      });
      assertRefused(wrong, 400, 'invalid_request', ['webhook_url']);
    },
  },
];

/** Needs test credentials: a live message would need a carrier, and the recipient is nobody. */
export const deliveryCheck: Check = {
  name: 'a message is delivered',
  async run(api) {
    const sent = await api.call('POST', sendPath, { body: { to: '+447700900123', message: 'Conformance' } });
    assert.equal(sent.status, 202);
    const path = `/api/v1/sms/status/${String(sent.body.message_id)}`;
    for (const endMs = Date.now() + 30_000; ; await sleep(500)) {
      const { body } = await api.call('GET', path);
      if (body.status === 'delivered') return;
      if (Date.now() > endMs) assert.fail(`after 30 s, the message is ${String(body.status)}`);
    }
  },
};

/** To be run last: it uses a minute up. */
export const limitCheck: Check = {
  name: 'what exceeds a limit is refused with 429 and told when to come again',
  async run(api) {
    const path = '/api/v1/sms/bulk';
    const first = await api.call('POST', path, { body: {} });
    // With a raised limit it would take too many requests.
    if (Number(first.headers.get('x-ratelimit-limit')) > 200) return;
    let response = first;
    for (let sent = 0; response.status !== 429 && sent <= 400; sent += 1) {
      response = await api.call('POST', path, { body: {}, limited: true });
    }
    assertRefused(response, 429, 'rate_limit_exceeded');
    assert.equal(response.headers.get('x-ratelimit-remaining'), '0');
    assert.equal(response.headers.get('retry-after'), String(response.body.retry_after));
    assert.match(String(response.body.message), new RegExp(`\\b${String(response.body.retry_after)} second`));
  },
};
