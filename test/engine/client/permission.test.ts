/** A client with a list of senders may use only these in every send operation; the same for countries. */
import { describe, expect, it } from '@jest/globals';
import type { EditedRow } from '../../../shared/edited-table/row-editor.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { writeRows } from '../../support/engine/write-rows.ts';
import {
  aClient,
  ask,
  inMemorySends,
  type SendName,
  sendNames,
  smallRequest,
} from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const to = '+447700900123';

async function outcome(name: SendName, senders: string[], more: object = {}): Promise<unknown> {
  const { operations, messages } = inMemorySends();
  const body = { ...smallRequest(name, to), ...more };
  const result = await ask(operations[name], { client: aClient({ senders }), now, body }).then(
    ({ status }) => status,
    ({ code, status }) => `${status} ${code}`,
  );
  expect(messages.all()).toHaveLength(result === 202 ? 1 : 0);
  return result;
}

const refused = '403 forbidden';

describe('a client with a list of senders', () => {
  it.each<[SendName, object | undefined, string[], unknown]>([
    ['sms', undefined, ['ACME'], refused],
    ['sms', { from: null }, ['ACME'], refused],
    ['sms', { from: 'OTHER' }, ['ACME'], refused],
    ['sms', { from: 'acme' }, ['ACME'], refused],
    ['sms', { from: 'ACME' }, ['ACME'], 202],
    ['sms', { from: '+4407700900100' }, ['+447700900100'], 202],
    ['sms', { from: '+447700900101' }, ['+447700900100'], refused],
    ['bulk', undefined, ['ACME'], refused],
    ['bulk', { from: 'OTHER' }, ['ACME'], refused],
    ['bulk', { recipients: [{ to, from: 'ACME' }] }, ['ACME'], refused],
    ['bulk', { from: 'ACME' }, ['ACME'], 202],
    ['otp', undefined, ['ACME'], refused],
    ['otp', { from: 'ACME' }, ['ACME'], refused],
    ['otp', { channel: 'whatsapp' }, ['ACME', 'whatsapp'], refused],
    ['otp', undefined, ['ACME', 'otp'], 202],
    ['otp', { channel: 'whatsapp' }, ['otp'], 202],
    ['whatsapp', undefined, ['ACME', 'otp'], refused],
    ['whatsapp', { from: 'ACME' }, ['ACME'], refused],
    ['whatsapp', undefined, ['whatsapp'], 202],
  ])('by %s with %j is, of %j, answered %s', async (name, more, senders, expected) => {
    expect(await outcome(name, senders, more)).toBe(expected);
  });

  it.each(['otp', 'whatsapp'])('that names %s may not send an SMS under that name', async (entry) => {
    for (const name of ['sms', 'bulk'] as const) {
      expect(await outcome(name, ['ACME', entry])).toBe(refused);
      expect(await outcome(name, ['ACME', entry], { from: entry })).toBe(refused);
    }
  });

  it('gets an error that says how to request the permission', async () => {
    const message = (name: SendName) =>
      ask(inMemorySends().operations[name], {
        client: aClient({ senders: ['ACME'] }),
        now,
        body: smallRequest(name, to),
      }).then(
        () => '',
        (error) => error.message,
      );
    expect(await Promise.all(sendNames.map(message))).toEqual([
      'This client must name one of its senders in "from".',
      'This client must name one of its senders in "from".',
      'This client may not send one-time passwords: its list of senders does not name otp.',
      'This client may not send by WhatsApp: its list of senders does not name whatsapp.',
    ]);
  });
});

describe('a number of no country', () => {
  const numbers = {
    '+800': '+80012345678',
    '+808': '+80812345678',
    '+870': '+870301234567',
    '+878': '+878101234567890',
    '+881': '+881612345678',
    '+882': '+88213123456',
    '+883': '+883510012345678',
    '+979': '+979123456789',
  };
  const result = async (name: SendName, number: string, countries?: string[]): Promise<unknown> => {
    const { operations, messages } = inMemorySends();
    const client = aClient(countries === undefined ? {} : { countries });
    const status = await ask(operations[name], { client, now, body: smallRequest(name, number) }).then(
      ({ status }) => status,
      ({ code, status }) => `${status} ${code}`,
    );
    expect(messages.all()).toHaveLength(status === 202 ? 1 : 0);
    return status;
  };

  it.each(sendNames)('is refused, also without a list of countries, unless it is named: %s', async (name) => {
    const refusal = name === 'bulk' ? '400 no_valid_recipients' : refused;
    for (const [code, number] of Object.entries(numbers)) {
      expect([code, await result(name, number)]).toEqual([code, refusal]);
      expect([code, await result(name, number, ['GB', 'US'])]).toEqual([code, refusal]);
      expect([code, await result(name, number, ['GB', code === '+800' ? '+808' : '+800'])]).toEqual([
        code,
        refusal,
      ]);
      expect([code, await result(name, number, ['GB', code])]).toEqual([code, 202]);
    }
    expect(await result(name, to)).toBe(202);
  });
});

describe('a sender that rows give to certain clients', () => {
  const row = (client_id: string, identity: string, more: EditedRow = {}): EditedRow => ({
    client_id,
    destination: 'sms *',
    identity,
    ...more,
  });
  const rows = [
    row('owner', 'ACME'),
    row('owner', '+44 (7700) 900-100', { destination: 'sms GB', inbound: true }),
    row('owner', 'Both', { destination: 'sms FR' }),
    row('partner', 'Both'),
    // A mistake in a row gives its sender to nobody else.
    row('owner', 'Mistaken', { destination: 'sms IN', messages_per_second: 'fast' }),
    row('owner', 'Shared', { destination: 'sms DE' }),
    row('*', 'Shared', { destination: 'sms GB' }),
    row('owner', '+447700900199', { destination: 'sms IT' }),
  ];
  const stageSender = '+447700900199';
  const sendsWith = (clock = () => now) => {
    const sends = inMemorySends({ clock, env: { STAGE_SMS_SENDER: stageSender } });
    const enter = () => writeRows(sends.tables.dynamo, sends.tables.names.senders, rows);
    return { ...sends, enter };
  };

  /** Each way in which a request names a sender of an SMS. */
  const ways: readonly (readonly [string, SendName, (from: string) => object])[] = [
    ['sms', 'sms', (from) => ({ from })],
    ['bulk', 'bulk', (from) => ({ from })],
    ['scheduled', 'sms', (from) => ({ from, scheduled_at: '2026-11-20T12:00:00Z' })],
    ['scheduled bulk', 'bulk', (from) => ({ from, scheduled_at: '2026-11-20T12:00:00Z' })],
    ['a leg after SMS', 'sms', (from) => ({ fallback: [{ channel: 'sms', from }] })],
    ['a leg that has the sender of the first', 'sms', (from) => ({ from, fallback: [{ channel: 'sms' }] })],
    ['a leg after WhatsApp', 'whatsapp', (from) => ({ fallback: [{ channel: 'sms', from }] })],
    [
      'the second leg',
      'whatsapp',
      (from) => ({
        fallback: [
          { channel: 'sms', message: 'x' },
          { channel: 'sms', from },
        ],
      }),
    ],
  ];

  async function outcomes(clientId: string, from: string): Promise<Set<unknown>> {
    const found = new Set<unknown>();
    for (const [way, name, fields] of ways) {
      const body = { ...smallRequest(name, to), ...fields(from) };
      const { operations, messages, enter } = sendsWith();
      await enter();
      const sent = ask(operations[name], { client: aClient({ client_id: clientId }), now, body });
      const status = await sent.then(
        (response) => response.status,
        (error) => `${error.status} ${error.code}`,
      );
      expect([way, messages.all().length]).toEqual([way, status === 202 ? 1 : 0]);
      const dry = { client: aClient({ client_id: clientId }), now, body, query: { dry_run: 'true' } };
      const { refusals } = (await ask(operations[name], dry)).body as { refusals: { error: string }[] };
      expect([way, refusals.map(({ error }) => error)]).toEqual([way, status === 202 ? [] : ['forbidden']]);
      found.add(status);
    }
    return found;
  }

  it.each([
    ['ACME'],
    ['acme'],
    ['aCmE'],
    ['+447700900100'],
    ['+4407700900100'],
    ['Both'],
    ['BOTH'],
    ['Mistaken'],
  ])('is refused to every other client, in every send: %s', async (from) => {
    expect(await outcomes('stranger', from)).toEqual(new Set([refused]));
  });

  it.each([
    ['owner', 'ACME'],
    ['owner', 'acme'],
    ['owner', '+4407700900100'],
    ['owner', 'Both'],
    ['partner', 'Both'],
    ['stranger', 'Shared'],
    ['stranger', stageSender],
    ['stranger', 'ACME2'],
    ['stranger', '+447700900101'],
  ])('may be named by %s: %s', async (clientId, from) => {
    expect(await outcomes(clientId, from)).toEqual(new Set([202]));
  });

  it('is refused even to a client whose own list names it', async () => {
    const { operations, enter } = sendsWith();
    await enter();
    const client = aClient({ client_id: 'stranger', senders: ['ACME'] });
    const body = { ...smallRequest('sms', to), from: 'ACME' };
    await expect(ask(operations.sms, { client, now, body })).rejects.toMatchObject({
      status: 403,
    });
  });

  it('does not refuse the repeat of a request that was accepted before the row was entered', async () => {
    for (const name of ['sms', 'bulk'] as const) {
      let at = now;
      const { operations, enter } = sendsWith(() => at);
      const body = { ...smallRequest(name, to), from: 'ACME' };
      const asked = { client: aClient({ client_id: 'stranger' }), now, body };
      const keyed = { ...asked, key: `key-${name}` };
      const first = await ask(operations[name], keyed);
      await enter();
      at = addSeconds(at, 60);
      expect((await ask(operations[name], keyed)).body).toEqual(first.body);
      await expect(ask(operations[name], asked)).rejects.toMatchObject({ status: 403 });
    }
  });
});

describe('a client with a list of countries', () => {
  it.each(sendNames)('sends to no other, nor to a number of no country: %s', async (name) => {
    const client = aClient({ countries: ['FR'] });
    for (const other of [to, '+4407700900123', '+883510012345678']) {
      const { operations, messages } = inMemorySends();
      await expect(
        ask(operations[name], { client, now, body: smallRequest(name, other) }),
      ).rejects.toMatchObject(name === 'bulk' ? { code: 'no_valid_recipients' } : { code: 'forbidden' });
      expect(messages.all()).toEqual([]);
    }
    const allowed = smallRequest(name, '+33612345678');
    expect((await ask(inMemorySends().operations[name], { client, now, body: allowed })).status).toBe(202);
  });
});

describe('a stage with a list of countries', () => {
  const outcomeOf = async (name: SendName, recipient: string, countries?: string[]): Promise<unknown> => {
    const { operations, messages } = inMemorySends({ env: { ALLOWED_COUNTRIES: ['GB', 'FR'] } });
    const client = aClient(countries === undefined ? {} : { countries });
    const answer = await ask(operations[name], { client, now, body: smallRequest(name, recipient) }).then(
      ({ status }) => status,
      ({ code, details, message }) => [code, details[0]?.message ?? message],
    );
    expect(messages.all()).toHaveLength(answer === 202 ? 1 : 0);
    return answer;
  };

  it.each(sendNames)('lets a client without a list send to these only: %s', async (name) => {
    expect(await outcomeOf(name, to)).toBe(202);
    const german = await outcomeOf(name, '+4915123456789');
    expect(german).toEqual([
      name === 'bulk' ? 'no_valid_recipients' : 'forbidden',
      'This client may not send to DE. If it should, ask the operator of the gateway to allow the country.',
    ]);
  });

  it.each(sendNames)(
    'lets a client with a list send to that, and not to the others of the stage: %s',
    async (name) => {
      expect(await outcomeOf(name, '+4915123456789', ['DE'])).toBe(202);
      expect(await outcomeOf(name, to, ['DE'])).not.toBe(202);
    },
  );

  it('reports a row of a bulk request to another country, and sends the others', async () => {
    const { operations, messages } = inMemorySends({ env: { ALLOWED_COUNTRIES: ['GB'] } });
    const body = { message: 'Hello', recipients: [to, '+33612345678', '+883510012345678'] };
    const answer = await ask(operations.bulk, { client: aClient(), now, body });
    expect(answer.body).toMatchObject({ accepted: 1, rejected: 2 });
    expect((answer.body as { errors: unknown }).errors).toEqual([
      {
        index: 1,
        to: '+33612345678',
        error: 'forbidden',
        message: expect.stringContaining('not send to FR.'),
      },
      {
        index: 2,
        to: '+883510012345678',
        error: 'forbidden',
        message: expect.stringContaining('numbers of no single country'),
      },
    ]);
    expect(messages.all().map(({ recipient }) => recipient)).toEqual([to]);
  });

  // Attackers choose the expensive ranges that share a calling code with a cheap country.
  it.each([
    ['US', '+12025550123', ['+16045550123', '+18765550123', '+12425550123', '+18095550123', '+17875550123']],
    ['CA', '+16045550123', ['+12025550123', '+14415550123']],
    ['GB', '+447924123456', ['+447797123456', '+447781123456', '+447624123456']],
    ['RU', '+79161234567', ['+77011234567', '+77172123456']],
    ['MA', '+212612345678', ['+883510012345678', '+881612345678', '+8821612345678', '+870773111632']],
    ['AU', '+61412345678', ['+61891641234', '+61891621234', '+979123456789']],
  ])(
    'tells %s from its neighbours under the same code, and from satellite and premium networks',
    async (country, inside, outside) => {
      for (const [recipient, status] of [[inside, 202], ...outside.map((number) => [number, 403])] as const) {
        const { operations } = inMemorySends({ env: { ALLOWED_COUNTRIES: [country] } });
        const asked = { client: aClient(), now, body: smallRequest('otp', String(recipient)) };
        const answer = ask(operations.otp, asked).then(
          (response) => response.status,
          (error) => error.status,
        );
        expect([recipient, await answer]).toEqual([recipient, status]);
      }
    },
  );
});
