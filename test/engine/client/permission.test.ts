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
