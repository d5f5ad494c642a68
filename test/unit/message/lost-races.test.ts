/** A send that loses, to a limit or to a request at the same moment, leaves nothing behind but what it took from a cap. */

import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '../../../shared/contract/errors.ts';
import type { AllowanceOf } from '../../../shared/limit/take-from-caps.ts';
import { startNextLeg } from '../../../shared/message/dispatch/start-next-leg.ts';
import type { Message } from '../../../shared/message/message.ts';
import { sendBulkSms } from '../../../shared/message/send/send-bulk-sms.ts';
import { sendSms } from '../../../shared/message/send/send-sms.ts';
import { transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import type { OneTimePassword } from '../../../shared/otp/otp.ts';
import { otpLegs } from '../../../shared/otp/otp-legs.ts';
import { sendOtp } from '../../../shared/otp/send-otp.ts';
import type { SelectSender } from '../../../shared/sender/select-sender.ts';
import { noSenders } from '../../support/doubles/no-senders.ts';
import { inMemoryPace, inMemoryStores } from '../../support/engine/stores.ts';
import { withCalls } from '../../support/engine/test-context.ts';
import { writeRows } from '../../support/engine/write-rows.ts';
import { aClient, ask, webhookUrl } from '../../support/message/ask-operation.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const to = '+447700900123';
const other = '+447700900124';

/** The calls of this method end together: none before so many have begun, and those after at once. */
function together<Port extends object>(port: Port, name: keyof Port & string, calls: number): Port {
  let begun = 0;
  let release = () => {};
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  return new Proxy(port, {
    get(target, property) {
      const method: unknown = Reflect.get(target, property);
      if (property !== name || typeof method !== 'function') return method;
      return async (...args: unknown[]): Promise<unknown> => {
        const result: unknown = await Reflect.apply(method, target, args);
        begun += 1;
        if (begun === calls) release();
        await all;
        return result;
      };
    },
  });
}

/** So many reads of a message have their answers together. */
function readingTogether(calls: number): Parameters<typeof withCalls>[1] {
  const reader = together({ read: (run: () => Promise<unknown>) => run() }, 'read', calls);
  return ({ operation, input }, run) => {
    const { Key = {} } = input as { Key?: object };
    return operation === 'Get' && 'message_id' in Key ? reader.read(run) : run();
  };
}

/** A cap with so much room. */
function capOf(room: number) {
  const cap = { used: 0, writes: 0 };
  const allowanceOf: AllowanceOf = async () => ({
    async take(messages) {
      cap.writes += 1;
      if (cap.used + messages.length > room) throw new GatewayError('message_limit_reached', 'full');
      cap.used += messages.length;
    },
    check: async () => {},
  });
  return { cap, allowanceOf };
}

describe('a one-time password', () => {
  function world({ room = 100, readTogether = 0, foundTogether = 0 } = {}) {
    const { context, messages, otps, otpSends, tables } = inMemoryStores();
    const { cap, allowanceOf } = capOf(room);
    const client = aClient();
    const operation = sendOtp({
      ...(foundTogether > 0 ? withCalls(context, readingTogether(foundTogether)) : context),
      otps: readTogether > 0 ? together(otps, 'latest', readTogether) : otps,
      otpSends,
      allowanceOf,
      ...noSenders,
      webhookUrl,
    });
    const send = (body: object, key?: string) =>
      ask(operation, { client, now, body: { to, ...body }, ...(key === undefined ? {} : { key }) });
    const sendsTo = async (recipient: string) =>
      (await otps.sentTo({ clientId: client.client_id, recipient }, now)).length;
    return { client, send, sendsTo, context, messages, otps, otpSends, tables, cap };
  }

  it.each<[string, object]>([
    ['another recipient', { to: other }],
    ['another purpose', { purpose: 'payment' }],
    ['another reference', { reference: 'r' }],
    ['another channel', { channel: 'whatsapp' }],
  ])(
    'of a key that a request with %s had first is as if it had never been asked for',
    async (_what, second) => {
      const { send, sendsTo, otps, messages } = world({ foundTogether: 2 });
      const results = await Promise.allSettled([send({}, 'k'), send(second, 'k')]);
      const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
      expect(refused).toEqual([expect.objectContaining({ code: 'idempotency_key_reused', status: 422 })]);
      const [message] = messages.all();
      expect(messages.all()).toHaveLength(1);
      expect(otps.all().map(({ otp_id }) => otp_id)).toEqual([message?.otp?.otp_id]);
      expect((await sendsTo(to)) + (await sendsTo(other))).toBe(1);
    },
  );

  it('is one for equal requests with one key, and one for requests without', async () => {
    for (const key of [undefined, 'k']) {
      const { send, sendsTo, otps, messages } = world({ readTogether: 3 });
      const responses = await Promise.all([send({}, key), send({}, key), send({}, key)]);
      expect(new Set(responses.map(({ body }) => (body as { otp_id: string }).otp_id)).size).toBe(1);
      expect(otps.all()).toHaveLength(1);
      const sent = key === undefined ? 3 : 1;
      expect([messages.all().length, await sendsTo(to)]).toEqual([sent, sent]);
    }
  });

  it.each<[string, Partial<OneTimePassword>]>([
    ['was verified', { status: 'verified' }],
    ['has no attempts left', { attempts: 5 }],
  ])('that %s while it is sent again is followed by a new one', async (_what, change) => {
    const { client, send, context, messages, otps, otpSends, tables } = world();
    await send({});
    const [first] = otps.all();
    const ended = {
      ...otpSends,
      store: async (...args: Parameters<typeof otpSends.store>) => {
        await writeRows(tables.dynamo, tables.names.one_time_passwords, [{ ...first, ...change }]);
        return otpSends.store(...args);
      },
    };
    const again = sendOtp({
      ...context,
      otps,
      otpSends: ended,
      allowanceOf: async () => undefined,
      ...noSenders,
      webhookUrl,
    });
    const { body } = await ask(again, { client, now, body: { to } });
    const [second] = otps.all().filter(({ otp_id }) => otp_id !== first?.otp_id);
    expect(body).toMatchObject({ otp_id: second?.otp_id, attempts_remaining: 5 });
    expect(messages.all().map(({ otp }) => otp?.otp_id)).toEqual([first?.otp_id, second?.otp_id]);
    expect(otps.all().map(({ sms_sends }) => sms_sends)).toEqual([1, 1]);
  });

  it('that the limit of its recipient refuses writes nothing to a cap', async () => {
    const { send, otps, cap } = world();
    for (let sends = 0; sends < 5; sends += 1) await send({ purpose: `p${sends}` });
    for (let sends = 0; sends < 20; sends += 1)
      await expect(send({})).rejects.toMatchObject({ code: 'rate_limit_exceeded' });
    expect(cap).toEqual({ used: 5, writes: 5 });
    expect(otps.all()).toHaveLength(5);
  });

  it('that the limit of its recipient refuses at the last moment is not stored', async () => {
    const { send, otps, sendsTo } = world({ readTogether: 8 });
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => send({ purpose: `p${index}` })),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    expect([await sendsTo(to), otps.all().length]).toEqual([5, 5]);
  });

  it('that a cap refuses counts for no recipient', async () => {
    const { send, sendsTo, otps } = world({ room: 0 });
    await expect(send({})).rejects.toMatchObject({ code: 'message_limit_reached' });
    expect([await sendsTo(to), otps.all()]).toEqual([0, []]);
  });
});

describe('the next leg of a fallback that several workers start at once', () => {
  it('is one', async () => {
    const { context, messages, otps } = inMemoryStores();
    const { allowanceOf } = capOf(100);
    const operation = sendSms({ ...context, allowanceOf, ...noSenders, webhookUrl });
    const body = { to, message: 'Hello', fallback: [{ channel: 'sms' }] };
    await ask(operation, { client: aClient(), now, body });
    const [first] = messages.all();
    if (first === undefined) throw new Error('nothing is stored');
    await transitionMessage(context, first.message_id, { to: 'failed', at: now, errorCode: 'unreachable' });
    let works = 0;
    // Each has read that there is no next leg before the first one writes it.
    const { allowanceOf: takenTogether } = together({ allowanceOf }, 'allowanceOf', 3);
    const dependencies = {
      ...context,
      allowanceOf: takenTogether,
      otpLegs: otpLegs({ otps, assertNotHeld: async () => {}, clock: () => now }),
      clock: () => now,
      newId: () => `work-${++works}`,
    };
    const failed = (await readMessage(context, first.message_id)) as Message;
    const started = await Promise.all([1, 2, 3].map(() => startNextLeg(dependencies, failed)));
    expect(started.map(({ outcome }) => outcome).toSorted()).toEqual([
      'leg_exists',
      'leg_exists',
      'leg_started',
    ]);
    expect(messages.all()).toHaveLength(2);
  });
});

describe('a single send whose write took effect although its response was lost', () => {
  it.each([undefined, 'k'])('keeps what it took from a cap, with the key %p', async (key) => {
    const { context, messages } = inMemoryStores();
    const { cap, allowanceOf } = capOf(1);
    const client = aClient();
    const operation = sendSms({
      // The SDK repeats the call, which finds the row that the first one wrote.
      ...withCalls(context, async ({ operation }, run) => {
        if (operation === 'Put') await run();
        return run();
      }),
      allowanceOf,
      ...noSenders,
      webhookUrl,
    });
    const send = (body: object) =>
      ask(operation, { client, now, body, ...(key === undefined ? {} : { key }) });
    const sent = await send({ to, message: 'Hello' });
    expect(sent).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect(messages.all()).toHaveLength(1);
    expect(cap.used).toBe(1);
  });
});

describe('a bulk of a sender with a pace', () => {
  const sender = { identity: '+15550100', messages_per_second: 10 };
  const select: SelectSender = () => ({ sender });
  const body = {
    message: 'Hello',
    recipients: Array.from({ length: 300 }, (_, row) => `+4477009${10000 + row}`),
  };

  function world(foundTogether = 0) {
    const { context, messages, batches } = inMemoryStores();
    let lines = 0;
    const pace = inMemoryPace(() => now);
    const client = aClient();
    const operation = sendBulkSms({
      ...context,
      batches: foundTogether > 0 ? together(batches, 'get', foundTogether) : batches,
      allowanceOf: async () => undefined,
      ...noSenders,
      sendersOf: async () => ({ select, isOfOthers: () => false }),
      webhookUrl,
      pace: {
        joinLine: (...joining) => {
          lines += 1;
          return pace.joinLine(...joining);
        },
      },
    });
    const send = (key: string, more: object = {}) =>
      ask(operation, { client, now, body: { ...body, ...more }, key });
    return { send, lines: () => lines, messages };
  }

  it('joins the line once, however often it is repeated', async () => {
    const { send, lines, messages } = world();
    const first = await send('k');
    expect(first.body).toMatchObject({ expected_end_at: expect.any(String) });
    for (let repeats = 0; repeats < 3; repeats += 1) expect((await send('k')).body).toEqual(first.body);
    await expect(send('k', { message: 'Another' })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(lines()).toBe(1);
    expect(messages.all().every(({ handover_until }) => handover_until !== undefined)).toBe(true);
  });

  it('joins the line once where it is repeated at the same moment', async () => {
    const { send, lines, messages } = world(4);
    const results = await Promise.allSettled([send('k'), send('k'), send('k'), send('k')]);
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ code: 'idempotency_in_progress' });
    expect(lines()).toBe(1);
    expect(messages.all()).toHaveLength(300);
  });
});
