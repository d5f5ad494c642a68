/** A send that loses, to a limit or to a request at the same moment, leaves nothing behind but what it took from a cap. */

import { describe, expect, it } from '@jest/globals';
import { startNextLeg } from '../../../shared/message/dispatch/start-next-leg.ts';
import type { Message } from '../../../shared/message/message.ts';
import { transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import type { OneTimePassword } from '../../../shared/otp/otp.ts';
import { otpLegs } from '../../../shared/otp/otp-hand-over.ts';
import { otpSendsTo } from '../../../shared/otp/otp-store.dynamo.ts';
import { type InMemoryTables, inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { barrier, together } from '../../support/engine/together.ts';
import { writeRows } from '../../support/engine/write-rows.ts';
import { aClient, ask, inMemorySends } from '../../support/message/sends.ts';
import type { AroundCall } from '../../support/simulation/direct-database.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const to = '+447700900123';
const other = '+447700900124';

/** The amounts that were taken from the caps of all clients, and by how many writes. */
function countedTakes() {
  let writes = 0;
  const around: AroundCall = (call, run) => {
    if (call.operation === 'UpdateItem' && call.input.TableName === 'rate_counters') writes += 1;
    return run();
  };
  const used = ({ rows }: InMemoryTables) =>
    rows('rate_counters').reduce((sum, row) => sum + Number(row.messages_month), 0);
  return { around, cap: (tables: InMemoryTables) => ({ used: used(tables), writes }) };
}

const isRead = (table: string, key: RegExp) => (call: Parameters<AroundCall>[0]) =>
  call.operation === 'GetItem' && call.input.TableName === table && key.test(JSON.stringify(call.input.Key));

describe('a one-time password', () => {
  function world({ room = 100, readTogether = 0 } = {}) {
    const takes = countedTakes();
    const wait = together(isRead('one_time_passwords', /pending#/), readTogether);
    let beforeStore: (() => Promise<void>) | undefined;
    const tables = inMemoryTables({
      around: async (call, run) => {
        if (call.operation === 'TransactWriteItems') await beforeStore?.();
        return wait(call, () => takes.around(call, run));
      },
    });
    const env = { STAGE_CAPS: { messages: { perDay: room } } };
    const { operations, context, messages, otps } = inMemorySends({ env }, tables);
    const client = aClient();
    const send = (body: object, key?: string) =>
      ask(operations.otp, { client, now, body: { to, ...body }, ...(key === undefined ? {} : { key }) });
    const sendsTo = async (recipient: string) =>
      (await otpSendsTo(context, { clientId: client.client_id, recipient }, now)).length;
    return {
      send,
      sendsTo,
      messages,
      otps,
      cap: () => takes.cap(tables),
      changeBeforeStore(change: object) {
        beforeStore = () => writeRows(tables.dynamo, tables.names.one_time_passwords, [change]);
      },
    };
  }

  it.each<[string, object]>([
    ['another recipient', { to: other }],
    ['another purpose', { purpose: 'payment' }],
    ['another reference', { reference: 'r' }],
    ['another channel', { channel: 'whatsapp' }],
  ])(
    'of a key that a request with %s had first is as if it had never been asked for',
    async (_what, second) => {
      // Both look for the message of the key at the same moment, in one call.
      const { send, sendsTo, otps, messages } = world();
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
    const { send, messages, otps, changeBeforeStore } = world();
    await send({});
    const [first] = otps.all();
    changeBeforeStore({ ...first, ...change });
    const { body } = await send({});
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
    expect(cap()).toEqual({ used: 5, writes: 5 });
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
    const { operations, context, messages } = inMemorySends();
    const body = { to, message: 'Hello', fallback: [{ channel: 'sms' }] };
    await ask(operations.sms, { client: aClient(), now, body });
    const [first] = messages.all();
    if (first === undefined) throw new Error('nothing is stored');
    await transitionMessage(context, first.message_id, { to: 'failed', at: now, errorCode: 'unreachable' });
    let works = 0;
    // Each has read that there is no next leg before the first one writes it.
    const dependencies = {
      ...context,
      takeFromCaps: barrier(3),
      otpLegs: otpLegs({ ...context, clock: () => now }),
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
    const takes = countedTakes();
    const tables = inMemoryTables({
      around: (call, run) => {
        // The SDK repeats the call, which finds the row that the first one wrote.
        if (call.operation === 'PutItem') run();
        return takes.around(call, run);
      },
    });
    const env = { STAGE_CAPS: { messages: { perDay: 1 } } };
    const { operations, messages } = inMemorySends({ env }, tables);
    const asked = { client: aClient(), now, body: { to, message: 'Hello' } };
    const sent = await ask(operations.sms, { ...asked, ...(key === undefined ? {} : { key }) });
    expect(sent).toMatchObject({ status: 202, body: { status: 'queued' } });
    expect(messages.all()).toHaveLength(1);
    expect(takes.cap(tables).used).toBe(1);
  });
});

describe('a bulk of a sender with a pace', () => {
  /** The first of a sender creates its cursor. */
  const callsOfOneLine = 2;

  const sender = {
    client_id: '*',
    destination: 'sms *',
    identity: 'ACME',
    messages_per_second: 10,
  };
  const body = {
    message: 'Hello',
    recipients: Array.from({ length: 300 }, (_, row) => `+4477009${10000 + row}`),
  };

  async function world(foundTogether = 0) {
    let lines = 0;
    const wait = together(isRead('batches', /bat_/), foundTogether);
    const tables = inMemoryTables({
      around: (call, run) => {
        if (call.input.TableName === 'sender_pace') lines += 1;
        return wait(call, run);
      },
    });
    await writeRows(tables.dynamo, tables.names.senders, [sender]);
    const { operations, messages } = inMemorySends({ clock: () => now }, tables);
    const client = aClient();
    const send = (key: string, more: object = {}) =>
      ask(operations.bulk, { client, now, body: { ...body, ...more }, key });
    return { send, lines: () => lines, messages };
  }

  it('joins the line once, however often it is repeated', async () => {
    const { send, lines, messages } = await world();
    const first = await send('k');
    expect(first.body).toMatchObject({ expected_end_at: expect.any(String) });
    for (let repeats = 0; repeats < 3; repeats += 1) expect((await send('k')).body).toEqual(first.body);
    await expect(send('k', { message: 'Another' })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(lines()).toBe(callsOfOneLine);
    expect(messages.all().every(({ handover_until }) => handover_until !== undefined)).toBe(true);
  });

  it('joins the line once where it is repeated at the same moment', async () => {
    const { send, lines, messages } = await world(4);
    const results = await Promise.allSettled([send('k'), send('k'), send('k'), send('k')]);
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0);
    for (const result of results)
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ code: 'idempotency_in_progress' });
    expect(lines()).toBe(callsOfOneLine);
    expect(messages.all()).toHaveLength(300);
  });
});
