/** A client with a list of senders may use only these in every send operation; the same for countries. */
import { describe, expect, it } from '@jest/globals';
import { memorySends, sendNames, smallRequest } from '../../support/doubles/memory-sends.ts';
import { aClient, ask, type SendName } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const to = '+447700900123';

async function outcome(name: SendName, senders: string[], more: object = {}): Promise<unknown> {
  const { operations, messages } = memorySends();
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
      ask(memorySends().operations[name], {
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

describe('a client with a list of countries', () => {
  it.each(sendNames)('sends to no other, nor to a number of no country: %s', async (name) => {
    const client = aClient({ countries: ['FR'] });
    for (const other of [to, '+4407700900123', '+883510012345678']) {
      const { operations, messages } = memorySends();
      await expect(
        ask(operations[name], { client, now, body: smallRequest(name, other) }),
      ).rejects.toMatchObject(name === 'bulk' ? { code: 'no_valid_recipients' } : { code: 'forbidden' });
      expect(messages.all()).toEqual([]);
    }
    const allowed = smallRequest(name, '+33612345678');
    expect((await ask(memorySends().operations[name], { client, now, body: allowed })).status).toBe(202);
  });
});

describe('a stage with a list of countries', () => {
  const outcomeOf = async (name: SendName, recipient: string, countries?: string[]): Promise<unknown> => {
    const { operations, messages } = memorySends(['GB', 'FR']);
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
    const { operations, messages } = memorySends(['GB']);
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
        const { operations } = memorySends([country]);
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
