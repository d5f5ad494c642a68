import { randomInt } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from '@jest/globals';
import { freshNumber, outboxOnce } from '../support/carrier/outbox.ts';
import { documentClient, gateway } from '../support/gateway/gateway.ts';
import { newClient } from '../support/http/client.ts';

const perSecond = 5;
const message = 'Hello';

it('messages of a sender with a pace are handed over once each, and never more than its pace in a second', async () => {
  const client = await newClient();
  const dynamo = documentClient();
  await dynamo.send(
    new PutCommand({
      TableName: gateway().tables.senders,
      Item: {
        client_id: client.clientId,
        destination: 'sms *',
        // Of no other test: the slots belong to the sender.
        identity: `+44791${String(randomInt(10 ** 7)).padStart(7, '0')}`,
        messages_per_second: perSecond,
      },
    }),
  );
  dynamo.destroy();
  const recipients = Array.from({ length: 15 }, freshNumber);
  const begun = Date.now();
  const bulk = await client.post('/api/v1/sms/bulk', { message, recipients });
  const [single, otp] = [freshNumber(), freshNumber()];
  await client.send({ to: single, message });
  await client.send({ to: otp }, '/api/v1/otp/send');

  const all = [...recipients, single, otp];
  const handedOver = await Promise.all(all.map((to) => outboxOnce(to, 1)));
  expect(handedOver.map((entries) => entries.length)).toEqual(all.map(() => 1));
  // The last of the slots that were reserved for the bulk: three seconds to store it, and three for 15 messages.
  const expectedEnd = Date.parse(String(bulk.body.expected_end_at));
  expect(expectedEnd - begun).toBeGreaterThan(2000);
  const last = handedOver.flat().map(({ at }) => Date.parse(at));
  expect(Math.max(...last) - expectedEnd).toBeGreaterThan(-2000);
  const bySecond = Map.groupBy(handedOver.flat(), ({ at }) => at.slice(0, 19));
  const counts = [...bySecond.values()].map(({ length }) => length);
  expect(Math.max(...counts)).toBeLessThanOrEqual(perSecond);
});
