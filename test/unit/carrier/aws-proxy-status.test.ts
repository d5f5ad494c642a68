/** A status without AWS's own error proves nothing: the message may have been sent (contract 16.1 and 16.2). */
import { afterEach, expect, it } from '@jest/globals';
import { awsSms } from '../../../shared/carrier/aws/aws-sms.ts';
import { awsWhatsApp } from '../../../shared/carrier/aws/aws-whatsapp.ts';
import { carrierEnvironment } from '../../support/carrier/carrier-server.ts';
import { startServer } from '../../support/http/local-server.ts';
import { aSendingMessage, handOverOf } from '../../support/message/example-message.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const prices = { currency: 'USD', sms: {}, whatsapp: {} } as const;
const closing: (() => Promise<void>)[] = [];
let calls = 0;
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function answering(status: number, text: string): Promise<void> {
  calls = 0;
  const { url, close } = await startServer((request, response) => {
    calls += 1;
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'text/html' });
      response.end(text);
    });
  });
  closing.push(close);
  Object.assign(process.env, carrierEnvironment(url));
}

const channels = ['sms', 'whatsapp'] as const;
const statuses = [429, 500, 503];
const texts = { HTML: '<html>No</html>', nothing: '', '{}': '{}' };

it.each(
  channels.flatMap((channel) =>
    statuses.flatMap((status) =>
      Object.entries(texts).map(([what, text]) => [channel, status, what, text] as const),
    ),
  ),
)(
  '%s: %i with %s is thrown: nobody knows whether AWS has the message',
  async (channel, status, _what, text) => {
    await answering(status, text);
    const carrier =
      channel === 'sms'
        ? awsSms(
            { originationIdentity: '+12065550152', configurationSet: 'receipts', prices, timeLimitMs: 5000 },
            () => now,
          )
        : awsWhatsApp({
            phoneNumberId: 'phone-number-id-1',
            prices,
            timeLimitMs: 5000,
          });
    const message = aSendingMessage(channel === 'sms' ? {} : { channel, whatsapp: { type: 'text' } });
    await expect(carrier.handOver(handOverOf(message, { text: 'Hello' }))).rejects.toThrow();
    // The SDK repeats no send.
    expect(calls).toBe(1);
  },
);
