/** The newest word of a person counts, also where a carrier tells of two of them at one moment (contract 13.2). */
import { expect, it } from '@jest/globals';
import { infobipReports } from '../../../shared/carrier/infobip/reports.ts';
import { readWebhookEntry } from '../../../shared/carrier/whatsapp-webhook.ts';
import { receiveMessages } from '../../../shared/message/receive-message.ts';
import { afterSends, ourNumber, person, sentBy } from '../../support/message/inbound.ts';

const arrived = new Date('2026-11-20T12:05:00.000Z');

const infobipSays = (said: readonly (readonly [text: string, receivedAt: string])[]) =>
  infobipReports.parse({
    path: 'reports',
    query: {},
    receivedAt: arrived,
    body: JSON.stringify({
      results: said.map(([text, receivedAt], index) => ({
        messageId: `inbound-${index}`,
        from: person.slice(1),
        to: ourNumber.slice(1),
        text,
        receivedAt,
      })),
    }),
  });

it('START and then STOP, which Infobip posts together, leave the person suppressed', async () => {
  const { dependencies, suppressions } = await afterSends(sentBy('a', 0));
  const { inbound } = infobipSays([
    ['START', '2026-11-20T12:00:00.000+0000'],
    ['STOP', '2026-11-20T12:04:00.000+0000'],
  ]);
  expect(await receiveMessages(dependencies, inbound, 1)).toMatchObject({ failures: [] });
  expect(await suppressions.get('a', person)).toMatchObject({ scope: 'messages' });
});

it('a START of before the STOP, whose callback Infobip repeats after it, does not end it', async () => {
  const { dependencies, suppressions } = await afterSends(sentBy('a', 0));
  const at = (receivedAt: string, text: string, sent: string) =>
    infobipReports.parse({
      path: 'reports',
      query: {},
      receivedAt: new Date(receivedAt),
      body: JSON.stringify({
        results: [{ messageId: text, from: person.slice(1), to: ourNumber.slice(1), text, receivedAt: sent }],
      }),
    }).inbound;
  const stop = at('2026-11-20T12:04:00.500Z', 'STOP', '2026-11-20T12:04:00.000+0000');
  const start = at('2026-11-20T12:05:00.000Z', 'START', '2026-11-20T12:00:00.000+0000');
  await receiveMessages(dependencies, stop, 1);
  await receiveMessages(dependencies, start, 1);
  expect(await suppressions.get('a', person)).toMatchObject({ scope: 'messages' });
});

it('START and then STOP of one second by WhatsApp leave the person suppressed', async () => {
  const { dependencies, suppressions } = await afterSends(sentBy('a', 0, { channel: 'whatsapp' }));
  const said = (text: string) => ({
    from: person.slice(1),
    id: `wamid.${text}`,
    timestamp: String(Date.parse('2026-11-20T12:00:00.000Z') / 1000),
    type: 'text',
    text: { body: text },
  });
  const value = {
    metadata: { display_phone_number: ourNumber.slice(1) },
    messages: [said('START'), said('STOP')],
  };
  const { inbound } = readWebhookEntry(
    { changes: [{ value }] },
    {
      receivedAt: arrived.toISOString(),
      numberIdOf: () => undefined,
      carrierMessageIdOf: () => undefined,
    },
  );
  expect(await receiveMessages(dependencies, inbound, 1)).toMatchObject({ failures: [] });
  expect(await suppressions.get('a', person)).toMatchObject({ scope: 'messages' });
});
