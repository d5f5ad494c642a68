import { expect, it } from '@jest/globals';
import { freshNumber, outboxOf } from '../support/carrier/outbox.ts';
import { eventually } from '../support/gateway/gateway.ts';
import { withinOne } from '../support/gateway/within-one-period.ts';
import { newClient } from '../support/http/client.ts';
import { expectRefusal } from '../support/http/expected-responses.ts';

const refused = '+15005550001';
const undeliverable = '+15005550002';
const silent = '+15005550004';

interface Leg {
  readonly channel: string;
  readonly message_id: string | null;
  readonly status: string | null;
}

it('a message that is not delivered is followed by its legs, with the same code, and one that is delivered is not', async () => {
  const client = await newClient();
  const statusOf = async (id: unknown) => (await client.call('GET', `/api/v1/sms/status/${id}`)).body;
  const legsOnce = (id: unknown, statuses: readonly string[]) =>
    eventually(async () => {
      const legs = (await statusOf(id)).fallback as Leg[];
      return legs.map(({ status }) => status).join() === statuses.join() ? legs : undefined;
    });

  const both = [{ channel: 'whatsapp' }, { channel: 'sms', message: 'Last try' }];
  const failing = await client.post('/api/v1/sms/send', { to: refused, message: 'Hello', fallback: both });
  const waiting = await client.post('/api/v1/whatsapp/send', {
    to: silent,
    message: 'Hello',
    fallback: [{ channel: 'sms', after_seconds: 10 }],
  });
  const otp = await client.post('/api/v1/otp/send', {
    to: undeliverable,
    channel: 'whatsapp',
    fallback: [{ channel: 'sms' }],
  });
  const arriving = await client.send({ to: freshNumber(), message: 'Hello', fallback: [{ channel: 'sms' }] });

  const [second, third] = await legsOnce(failing.body.message_id, ['failed', 'failed']);
  expect([second?.channel, third?.channel]).toEqual(['whatsapp', 'sms']);
  for (const leg of [second, third])
    expect(await statusOf(leg?.message_id)).toMatchObject({
      fallback_of: failing.body.message_id,
      status: 'failed',
    });
  await legsOnce(waiting.body.message_id, ['sent']);
  const [sms] = await legsOnce(otp.body.message_id, ['failed']);
  const texts = (await outboxOf(undeliverable))
    .filter(({ message_id }) => [otp.body.message_id, sms?.message_id].includes(message_id))
    .map(({ body }) => body);
  expect(texts).toHaveLength(2);
  expect(new Set(texts.map((text) => /\d{6}/.exec(text)?.[0])).size).toBe(1);
  await eventually(async () => (await statusOf(arriving)).status === 'delivered');
  expect((await statusOf(arriving)).fallback).toEqual([
    { channel: 'sms', after_seconds: null, message_id: null, status: null },
  ]);

  const dryRun = await client.post('/api/v1/sms/send?dry_run=true', {
    to: silent,
    message: 'Hello',
    fallback: [{ channel: 'whatsapp', after_seconds: 60 }],
  });
  expect(dryRun.body.fallback).toMatchObject([{ channel: 'whatsapp', after_seconds: 60 }]);
  const three = [...both, { channel: 'sms' }];
  expectRefusal(
    await client.post('/api/v1/sms/send', { to: refused, message: 'Hello', fallback: three }),
    400,
    'invalid_request',
    ['fallback'],
  );
});

it('a leg that a cap refuses has failed', () =>
  withinOne('month', async () => {
    // Room for one segment, at the local stage's price of 0.0042, and not for two.
    const capped = await newClient({ caps: { spend: { per_month: 0.006 } } });
    const spent = await capped.send({ to: refused, message: 'Hello', fallback: [{ channel: 'sms' }] });
    const legOfCapped = await eventually(async () => {
      const { body } = await capped.call('GET', '/api/v1/messages?status=failed');
      return (body.messages as { fallback_of?: string; error?: unknown }[]).find(
        ({ fallback_of }) => fallback_of === spent,
      );
    });
    expect(legOfCapped.error).toMatchObject({ code: 'spend_limit_reached' });
  }));
