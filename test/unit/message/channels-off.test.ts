import { describe, expect, it } from '@jest/globals';
import type { Channel } from '../../../shared/contract/channels.ts';
import { aClient, ask, inMemorySends, type SendName, smallRequest } from '../../support/message/sends.ts';

const to = '+447700900123';
const now = new Date('2026-11-20T10:00:00.000Z');
const template = { name: 'parcel', language: 'en' };

function sendWithout(off: Channel, name: SendName, change: object = {}, query = {}) {
  const { operations } = inMemorySends({ env: { [`${off.toUpperCase()}_CARRIER`]: 'off' } });
  return ask(operations[name], {
    client: aClient(),
    now,
    body: { ...smallRequest(name, to), ...change },
    query,
  });
}

const refused = {
  sms: 'This gateway sends no messages by SMS.',
  whatsapp: 'This gateway sends no messages by WhatsApp.',
};

describe('a channel that is turned off', () => {
  it.each<[Channel, SendName, object]>([
    ['sms', 'sms', {}],
    ['sms', 'bulk', {}],
    ['sms', 'otp', {}],
    ['sms', 'whatsapp', { fallback: [{ channel: 'sms' }] }],
    ['whatsapp', 'whatsapp', {}],
    ['whatsapp', 'otp', { channel: 'whatsapp' }],
    ['whatsapp', 'otp', { fallback: [{ channel: 'whatsapp' }] }],
    ['whatsapp', 'sms', { fallback: [{ channel: 'whatsapp', template }] }],
    ['whatsapp', 'sms', { fallback: [{ channel: 'sms' }, { channel: 'whatsapp', template }] }],
  ])(
    'is 403 with a clear text, also where only a fallback names it: %s, %s %j',
    async (off, name, change) => {
      await expect(sendWithout(off, name, change)).rejects.toMatchObject({
        code: 'forbidden',
        message: refused[off],
      });
    },
  );

  it('is what a dry run says', async () => {
    const { body } = await sendWithout('whatsapp', 'whatsapp', {}, { dry_run: 'true' });
    expect(JSON.stringify(body)).toContain(refused.whatsapp);
  });

  it.each<[Channel, SendName]>([
    ['sms', 'whatsapp'],
    ['whatsapp', 'sms'],
    ['whatsapp', 'bulk'],
    ['whatsapp', 'otp'],
  ])('leaves the other one as it is: without %s, %s', async (off, name) => {
    expect((await sendWithout(off, name)).status).toBe(202);
  });
});
