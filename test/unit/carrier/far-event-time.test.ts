/**
 * The time of a carrier's event is in another unit than expected, or none: the row of the message can be read afterwards
 * (contract 16.5).
 */
import { expect, it } from '@jest/globals';
import { parseTopicNotification } from '../../../shared/carrier/aws/aws-reports.ts';
import { receiptOf } from '../../../shared/carrier/infobip/infobip-statuses.ts';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import { createMessage, readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const happenedMs = created.getTime() + 5000;

it.each([
  ['seconds', Math.round(happenedMs / 1000)],
  ['milliseconds', happenedMs],
  ['microseconds', happenedMs * 1000],
  ['nanoseconds', happenedMs * 1_000_000],
])('an event of AWS with a time in %s', async (_unit, eventTimestamp) => {
  const { context } = inMemoryStores();
  const message = aMessage({ status: 'sent', sent_at: created.toISOString() });
  await createMessage(context, message);
  const event = {
    eventType: 'TEXT_DELIVERED',
    eventTimestamp,
    isFinal: true,
    messageId: 'aws-1',
    context: { message_id: message.message_id },
  };
  const Message = JSON.stringify(event);
  const notification = JSON.stringify({ Type: 'Notification', Message, Timestamp: created.toISOString() });
  const { receipts } = parseTopicNotification(notification);
  const record = { ...context, priceOf: () => undefined };
  expect(await recordReceipts(record, receipts, 1)).toMatchObject({ failures: [] });
  // The status of the message, its webhooks and its list read this row.
  expect(await readMessage(context, message.message_id)).toMatchObject({ status: 'delivered' });
});

it.each(['2026-13-01T10:00:00.000+0000', '9999-12-31T23:59:59.999+0000'])(
  'a report of Infobip with the time %s',
  (doneAt) => {
    const status = { groupId: 3, groupName: 'DELIVERED', id: 5, name: 'DELIVERED_TO_HANDSET' };
    const receipt = receiptOf({ messageId: 'msg_1-1', status, doneAt }, created);
    expect(receipt?.transition).toMatchObject({ to: 'delivered', at: created });
  },
);
