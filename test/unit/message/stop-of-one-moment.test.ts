/** The newest keyword of a recipient counts, also if a carrier reports two of them at one moment (contract 13.2). */
import { expect, it } from '@jest/globals';
import { infobipReports } from '../../../shared/carrier/infobip/infobip-reports.ts';
import { readWebhookEntry } from '../../../shared/carrier/whatsapp-webhook.ts';
import { receiveMessages } from '../../../shared/message/receive-message.ts';
import { suppressionOf } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { afterSends, ourNumber, person, sentBy } from '../../support/message/inbound.ts';

const arrived = new Date('2026-11-20T12:05:00.000Z');

it('START and then STOP, which Infobip posts together, leave the person suppressed', async () => {
  const { context, dependencies } = await afterSends(sentBy('a', 0));
  const [from, to] = [person.slice(1), ourNumber.slice(1)];
  const said = (text: string, receivedAt: string) => ({ messageId: text, from, to, text, receivedAt });
  const results = [
    said('START', '2026-11-20T12:00:00.000+0000'),
    said('STOP', '2026-11-20T12:04:00.000+0000'),
  ];
  const body = JSON.stringify({ results });
  const { inbound } = infobipReports.parse({ path: 'reports', query: {}, receivedAt: arrived, body });
  expect(await receiveMessages(dependencies, inbound, 1)).toMatchObject({ failures: [] });
  expect(await suppressionOf(context, 'a', person)).toMatchObject({ scope: 'messages' });
});

it('START and then STOP of one second by WhatsApp leave the person suppressed', async () => {
  const { context, dependencies } = await afterSends(sentBy('a', 0, { channel: 'whatsapp' }));
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
  expect(await suppressionOf(context, 'a', person)).toMatchObject({ scope: 'messages' });
});
