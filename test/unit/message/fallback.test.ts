/** Sends with `fallback`: which requests are taken, and which events start a leg, hold it back or end the sequence (contract 14.7). */

import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '../../../shared/contract/errors.ts';
import { dispatchQueued } from '../../../shared/message/dispatch/dispatch-message.ts';
import { nextLegDueAfter } from '../../../shared/message/dispatch/fallback.ts';
import { startNextLeg } from '../../../shared/message/dispatch/start-next-leg.ts';
import type { LegRefusal, Message } from '../../../shared/message/message.ts';
import { transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { createMessage, readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { otpLegs } from '../../../shared/otp/otp-hand-over.ts';
import { markOtpVerified, otpSendsTo } from '../../../shared/otp/otp-store.dynamo.ts';
import { otpRecords } from '../../../shared/otp/otp-traffic.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { dispatchContext } from '../../support/doubles/dispatch-context.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aClient, ask, type SendName } from '../../support/message/ask-operation.ts';
import { aMessage, created, onlyCarrier } from '../../support/message/example-message.ts';
import { inMemorySends, smallRequest } from '../../support/message/sends.ts';

const to = '+447700900123';
const now = new Date('2026-11-20T10:00:00.000Z');
const template = { name: 'parcel', language: 'en' };

/** Sends on tables in memory, and the worker that starts and hands over their legs. */
function world(change: Parameters<typeof aClient>[0] = {}) {
  const sends = inMemorySends();
  const client = aClient(change);
  let at = now;
  let refusal: LegRefusal | undefined;
  let held = false;
  let handOvers = 0;
  const { context, messages, otps } = sends;
  const clock = () => at;
  const legs = otpLegs({ ...context, clock });
  const dependencies = dispatchContext({
    ...context,
    carriersFor: onlyCarrier({
      handOver: async () => ({ outcome: 'accepted', carrierMessageId: `c-${++handOvers}` }),
    }),
    otpLegs: {
      ...legs,
      refusalOf: async (leg, time) =>
        held && leg.channel === 'sms' ? 'otp_held' : legs.refusalOf(leg, time),
    },
    takeFromCaps: async () => {
      if (refusal === 'spend_limit_reached' || refusal === 'message_limit_reached')
        throw new GatewayError(refusal, 'reached');
    },
    clock,
  });
  return {
    context,
    messages,
    otps,
    goTo: (seconds: number) => {
      at = addSeconds(now, seconds);
    },
    refuse: (code: LegRefusal) => {
      refusal = code;
    },
    hold: () => {
      held = true;
    },
    async send(name: SendName, more: object): Promise<Message> {
      const body = { ...smallRequest(name, to), ...more };
      await ask(sends.operations[name], { client, now: at, body });
      const [message] = messages.all().toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1));
      if (message === undefined) throw new Error('nothing is stored');
      return message;
    },
    async start(id: string) {
      const previous = (await readMessage(context, id)) as Message;
      return (await startNextLeg({ ...dependencies, newId: () => 'work' }, previous)).outcome;
    },
    handOver: async (id: string) => (await dispatchQueued(dependencies, { message_id: id })).outcome,
    leg: (number: number) => messages.all().find(({ leg }) => leg === number),
    end: (
      id: string,
      errorCode: 'unreachable' | 'client_disabled' | 'recipient_opted_out',
      suppressed?: true,
    ) => transitionMessage(context, id, { to: 'failed', at, errorCode, ...(suppressed && { suppressed }) }),
  };
}

describe('a request with `fallback`', () => {
  async function refusalOf(name: SendName, more: object, client = {}): Promise<unknown> {
    const error = await world(client)
      .send(name, more)
      .catch((fault: unknown) => fault);
    if (!(error instanceof GatewayError)) return 'accepted';
    return error.details.length === 0 ? error.code : error.details.map(({ field }) => field);
  }

  it.each<[string, SendName, object, unknown]>([
    [
      'three legs',
      'sms',
      { fallback: [{ channel: 'sms' }, { channel: 'sms' }, { channel: 'sms' }] },
      ['fallback'],
    ],
    ['no list', 'sms', { fallback: { channel: 'sms' } }, ['fallback']],
    ['no channel', 'sms', { fallback: [{}] }, ['fallback[0].channel']],
    ['another channel', 'otp', { fallback: [{ channel: 'voice' }] }, ['fallback[0].channel']],
    [
      'too short a time',
      'sms',
      { fallback: [{ channel: 'sms', after_seconds: 9 }] },
      ['fallback[0].after_seconds'],
    ],
    [
      'too long a time',
      'sms',
      { fallback: [{ channel: 'sms', after_seconds: 259_201 }] },
      ['fallback[0].after_seconds'],
    ],
    [
      'half a second',
      'sms',
      { fallback: [{ channel: 'sms', after_seconds: 10.5 }] },
      ['fallback[0].after_seconds'],
    ],
    [
      'two faults of a leg, and one of another field',
      'sms',
      { message: '', fallback: [{ channel: 'whatsapp', from: 'ACME', message: 'A', template }] },
      ['message', 'fallback[0].message', 'fallback[0].from'],
    ],
    ['a template by SMS', 'sms', { fallback: [{ channel: 'sms', template }] }, ['fallback[0].template']],
    [
      'an SMS without a text after a template',
      'whatsapp',
      { type: 'template', template, fallback: [{ channel: 'whatsapp' }, { channel: 'sms' }] },
      ['fallback[1].message'],
    ],
    [
      'an SMS after a text that is too long for it',
      'whatsapp',
      { message: 'a'.repeat(1601), fallback: [{ channel: 'sms' }] },
      ['fallback[0].message'],
    ],
    [
      'an SMS to a WhatsApp user without a number',
      'whatsapp',
      { to: 'US.13491208655302741918', fallback: [{ channel: 'whatsapp' }, { channel: 'sms' }] },
      ['fallback[1].channel'],
    ],
    [
      'times beyond the password',
      'otp',
      {
        ttl: 60,
        fallback: [
          { channel: 'sms', after_seconds: 30 },
          { channel: 'sms', after_seconds: 30 },
        ],
      },
      ['fallback[1].after_seconds'],
    ],
    [
      'the longest text in two channels',
      'whatsapp',
      { message: 'a'.repeat(1600), fallback: [{ channel: 'sms' }] },
      'accepted',
    ],
    [
      'unknown fields and nulls',
      'sms',
      { fallback: [{ channel: 'sms', after_seconds: null, x: 1 }] },
      'accepted',
    ],
  ])('that has %s', async (_what, name, more, faults) => {
    expect(await refusalOf(name, more)).toEqual(faults);
  });

  it('is refused where a leg may not be sent, and not stored with fields of nothing for an empty list', async () => {
    const senders = ['ACME'];
    const fallback = [{ channel: 'whatsapp' }];
    expect(await refusalOf('sms', { from: 'ACME', fallback }, { senders })).toBe('forbidden');
    const own = [{ channel: 'sms' }, { channel: 'sms', from: 'ACME' }];
    expect(await refusalOf('sms', { from: 'ACME', fallback: own }, { senders })).toBe('accepted');
    expect(await refusalOf('whatsapp', { fallback: [{ channel: 'sms' }] }, { senders: ['whatsapp'] })).toBe(
      'forbidden',
    );
    const empty = await world().send('sms', { fallback: [] });
    expect(empty).not.toHaveProperty('fallback');
  });
});

it.each<[SendName, object, string]>([
  ['whatsapp', { message: 'It’s here', fallback: [{ channel: 'sms' }] }, "It's here"],
  ['sms', { message: 'It’s here', fallback: [{ channel: 'sms', message: 'Last “try”' }] }, 'Last "try"'],
  ['sms', { message: 'It’s here', fallback: [{ channel: 'whatsapp' }] }, 'It’s here'],
  ['otp', { template: 'It’s {{code}}', fallback: [{ channel: 'sms' }] }, "It's {{code}}"],
])(
  'smart encoding replaces characters of SMS only, in the first message and in a leg: %s %j',
  async (name, more, text) => {
    const { send, start, end, leg } = world();
    const first = await send(name, { ...more, smart_encoding: true });
    expect(first.text?.includes('’')).toBe(name === 'whatsapp');
    await end(first.message_id, 'unreachable');
    expect(await start(first.message_id)).toBe('leg_started');
    expect(leg(2)).toMatchObject({ text, ...(text.includes('’') ? {} : { encoding: 'GSM-7', segments: 1 }) });
  },
);

it('a password that fell back to SMS counts among those by SMS, by which countries are held', async () => {
  for (const channel of ['sms', 'whatsapp'] as const) {
    const { send, otps, start, end } = world();
    const { message_id } = await send('otp', { channel: 'whatsapp', fallback: [{ channel }, { channel }] });
    const counted = () =>
      otpRecords(
        otps.all().map((otp) => ({
          eventID: otp.otp_id,
          dynamodb: { SequenceNumber: '1', ApproximateCreationDateTime: 0, NewImage: marshall(otp) },
        })),
      ).map(({ sends }) => sends);
    expect(counted()).toEqual([]);
    await end(message_id, 'unreachable');
    expect(await start(message_id)).toBe('leg_started');
    expect(await start(message_id)).toBe('leg_exists');
    expect(counted()).toEqual(channel === 'sms' ? [1] : []);
  }
});

describe('between two legs', () => {
  const sms = [{ channel: 'sms', after_seconds: 30 }];

  it('a password that was verified, or expired, starts no leg, and one that waits is not handed over', async () => {
    for (const ends of ['verified', 'expired'] as const) {
      const { context, send, start, handOver, goTo, leg, messages } = world();
      const first = await send('otp', { channel: 'whatsapp', ttl: 120, fallback: [...sms, ...sms] });
      const otpId = first.otp?.otp_id ?? '';
      goTo(30);
      expect(await start(first.message_id)).toBe('leg_started');
      const second = leg(2);
      expect(second).toMatchObject({
        channel: 'sms',
        fallback_of: first.message_id,
        expires_at: first.expires_at,
      });
      expect(second?.text).toBe('{{code}} is your verification code. It expires in 1 minute.');
      if (ends === 'verified') await markOtpVerified(context, { otpId, clientId: '', workId: 'w' });
      goTo(ends === 'verified' ? 31 : 59);
      expect(await handOver(second?.message_id ?? '')).toBe(ends === 'verified' ? 'not_needed' : 'sent');
      goTo(ends === 'verified' ? 61 : 120);
      await transitionMessage(context, second?.message_id ?? '', { to: 'failed', at: addSeconds(now, 120) });
      expect(await start(second?.message_id ?? '')).toBe('no_leg_needed');
      expect(messages.all()).toHaveLength(2);
    }
  });

  it.each<[string, Parameters<ReturnType<typeof world>['end']>[1], true | undefined, SendName, string]>([
    ['a suppression', 'recipient_opted_out', true, 'sms', 'no_leg_needed'],
    ['a suppression', 'recipient_opted_out', true, 'otp', 'no_leg_needed'],
    ['an opt-out at the carrier', 'recipient_opted_out', undefined, 'sms', 'no_leg_needed'],
    ['an opt-out at the carrier', 'recipient_opted_out', undefined, 'otp', 'leg_started'],
    ['a disabled client', 'client_disabled', undefined, 'sms', 'no_leg_needed'],
    ['an unreachable phone', 'unreachable', undefined, 'sms', 'leg_started'],
  ])('%s (%s, suppressed: %s) of a message by %s: %s', async (_what, code, suppressed, name, outcome) => {
    const { send, start, end } = world();
    const { message_id } = await send(name, { fallback: [{ channel: 'whatsapp' }] });
    expect(await start(message_id)).toBe('no_leg_needed');
    await end(message_id, code, suppressed);
    expect(await start(message_id)).toBe(outcome);
  });

  it('a cap, a hold or the limit of the recipient fails one leg, and the next one is tried', async () => {
    for (const code of [
      'spend_limit_reached',
      'message_limit_reached',
      'otp_held',
      'recipient_limit_reached',
    ] as const) {
      const { send, start, handOver, end, leg, refuse, hold } = world();
      const fallback = [{ channel: 'sms' }, { channel: 'whatsapp' }];
      const { message_id } = await send('otp', { channel: 'whatsapp', fallback });
      if (code === 'otp_held') hold();
      if (code === 'recipient_limit_reached')
        for (let index = 0; index < 4; index += 1) await send('otp', {});
      refuse(code);
      await end(message_id, 'unreachable');
      expect(await start(message_id)).toBe('leg_refused');
      const second = leg(2)?.message_id ?? '';
      expect(await handOver(second)).toBe('leg_refused');
      expect(leg(2)).toMatchObject({ status: 'failed', error_code: code });
      expect(await start(second)).toBe(code === 'otp_held' ? 'leg_started' : 'leg_refused');
    }
  });

  it('a leg that a cap, a hold or the limit of the recipient refuses does not replace the one that waits', async () => {
    for (const code of [
      'spend_limit_reached',
      'message_limit_reached',
      'otp_held',
      'recipient_limit_reached',
    ] as const) {
      const { context, send, start, handOver, leg, refuse, hold, goTo } = world();
      const { message_id, client_id } = await send('otp', { channel: 'whatsapp', fallback: sms });
      if (code === 'otp_held') hold();
      if (code === 'recipient_limit_reached')
        for (let index = 0; index < 4; index += 1) await send('otp', {});
      refuse(code);
      const before = await otpSendsTo(context, { clientId: client_id, recipient: to }, now);
      goTo(31);
      expect(await start(message_id)).toBe('leg_refused');
      expect(await otpSendsTo(context, { clientId: client_id, recipient: to }, now)).toEqual(before);
      // The refused leg is stored, and its worker has not failed it yet.
      expect(leg(2)).toMatchObject({ status: 'queued', refusal: code });
      expect(await handOver(message_id)).toBe('sent');
      expect(await handOver(leg(2)?.message_id ?? '')).toBe('leg_refused');
    }
  });

  it('a cancellation, or a delivery, starts no leg; a leg that waits is not handed over after a late receipt', async () => {
    const { context, send, start, handOver, leg, goTo } = world();
    const scheduled = await send('sms', { scheduled_at: '2026-11-20T11:00:00Z', fallback: sms });
    await transitionMessage(context, scheduled.message_id, { to: 'canceled', at: now });
    goTo(7200);
    expect(await start(scheduled.message_id)).toBe('no_leg_needed');
    goTo(10);
    const first = await send('sms', { fallback: [...sms, { channel: 'whatsapp' }] });
    goTo(41);
    expect(await start(first.message_id)).toBe('leg_started');
    // The first leg still waits for its carrier: it is not sent beside the second.
    expect(await handOver(first.message_id)).toBe('not_needed');
    await transitionMessage(context, first.message_id, { to: 'delivered', at: now });
    const second = leg(2)?.message_id ?? '';
    expect(await handOver(second)).toBe('not_needed');
    expect(await start(second)).toBe('no_leg_needed');
  });
});

/** A first leg and its worker, with the calls of DynamoDB that follow. */
async function legAt(message: Message, seconds: number) {
  const calls: string[] = [];
  const tables = inMemoryTables({
    around({ operation }, run) {
      calls.push(operation);
      return run();
    },
  });
  const { context } = inMemoryStores(tables);
  await createMessage(context, message);
  calls.length = 0;
  const carriersFor = onlyCarrier({
    handOver: async () => ({ outcome: 'accepted', carrierMessageId: 'c-1' }),
  });
  const clock = () => addSeconds(created, seconds);
  return { calls, dependencies: dispatchContext({ ...context, carriersFor, clock }) };
}

const legOfText: Message['fallback'] = [{ channel: 'whatsapp', after_seconds: 30, text: 'Hello' }];

it('a message without `fallback`, and a first leg in its time, are handed over with two writes of the row', async () => {
  for (const message of [aMessage(), aMessage({ fallback: legOfText })]) {
    const { calls, dependencies } = await legAt(message, 1);
    expect((await dispatchQueued(dependencies, { message_id: message.message_id })).outcome).toBe('sent');
    // Message, suppression and contact, claim with the attempt, contact, outcome.
    expect(calls).toEqual(['GetItem', 'BatchGetItem', 'UpdateItem', 'PutItem', 'UpdateItem']);
  }
});

it('only a first leg with a time, or one that ends, needs another queue message', () => {
  const change = (message: Message) => nextLegDueAfter({ before: undefined, after: message });
  expect(change(aMessage())).toBeUndefined();
  expect(change(aMessage({ fallback: [{ channel: 'sms', text: 'Hello' }] }))).toBeUndefined();
  expect(change(aMessage({ fallback: legOfText }))).toEqual(addSeconds(created, 30));
  for (const status of ['scheduled', 'sent', 'delivered', 'canceled'] as const)
    expect(change(aMessage({ fallback: legOfText, status }))).toBeUndefined();
});

it('a leg starts with one read, and a delivered message needs none', async () => {
  const first = aMessage({ fallback: legOfText, status: 'sent' });
  const start = { message_id: first.message_id };
  const late = await legAt(first, 31);
  expect((await dispatchQueued(late.dependencies, start)).outcome).toBe('leg_started');
  // The message and the legs are read, and the last write sets the next look.
  expect(late.calls).toEqual(['GetItem', 'GetItem', 'TransactWriteItems', 'UpdateItem']);
  expect((await dispatchQueued(late.dependencies, start)).outcome).toBe('leg_exists');
  const arrived = await legAt({ ...first, status: 'delivered' }, 31);
  expect((await dispatchQueued(arrived.dependencies, start)).outcome).toBe('nothing_to_do');
  expect(arrived.calls).toEqual(['GetItem']);
});
