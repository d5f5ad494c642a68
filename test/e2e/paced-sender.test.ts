import { expect, it } from '@jest/globals';
import type { Message } from '../../shared/message/message.ts';
import { reserveBulkSlots } from '../../shared/message/pace/bulk-slots.ts';
import { senderPace } from '../../shared/message/pace/sender-pace.ts';
import { dynamoSenderPaceStore } from '../../shared/message/pace/sender-pace-store.dynamo.ts';
import { dynamoMessageStore } from '../../shared/message/store/message-store.dynamo.ts';
import { addSeconds, systemClock } from '../../shared/platform/clock.ts';
import { newId } from '../../shared/platform/ids.ts';
import { freshNumber, outboxOnce } from '../support/carrier/outbox.ts';
import { documentClient, gateway } from '../support/gateway/gateway.ts';

it('messages of a sender with a pace are handed over once each, and never more than its pace in a second', async () => {
  const perSecond = 5;
  const sender = { identity: newId('msg', new Date()), messages_per_second: perSecond };
  const dynamo = documentClient();
  const { tables } = gateway();
  const messages = dynamoMessageStore(dynamo, { tableName: tables.messages ?? '', retentionDays: 1 });
  const pace = senderPace({
    store: dynamoSenderPaceStore(dynamo, tables.sender_pace ?? ''),
    clock: systemClock,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    random: Math.random,
  });
  const now = new Date();
  const row = (change: Partial<Message> = {}): Message => ({
    message_id: newId('msg', now),
    client_id: 'paced',
    channel: 'sms',
    status: 'queued',
    recipient: freshNumber(),
    type: 'transactional',
    text: 'Your code is {{code}}.',
    encoding: 'GSM-7',
    segments: 1,
    sender,
    created_at: now.toISOString(),
    queued_at: now.toISOString(),
    expires_at: addSeconds(now, 86_400).toISOString(),
    ...change,
  });
  const batch_id = newId('bat', now);
  const bulk = await reserveBulkSlots(
    pace,
    Array.from({ length: 15 }, () => row({ batch_id })),
  );
  const expires_at = addSeconds(now, 300).toISOString();
  const otp = { otp_id: newId('otp', now), code_length: 6, expires_at, attempts_remaining: 5 };
  const others = [row(), row(), row({ otp })];
  await messages.createMany([...bulk.messages, ...others]);

  const all = [...bulk.messages, ...others];
  const handedOver = await Promise.all(all.map(({ recipient }) => outboxOnce(recipient, 1)));
  expect(handedOver.map((entries) => entries.length)).toEqual(all.map(() => 1));
  const bySecond = Map.groupBy(handedOver.flat(), ({ at }) => at.slice(0, 19));
  for (const some of bySecond.values()) expect(some.length).toBeLessThanOrEqual(perSecond);
  dynamo.destroy();
});
