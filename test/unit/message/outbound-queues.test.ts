/** Every message is put into the queue of its kind, wherever it is queued. */

import { describe, expect, it } from '@jest/globals';
import { type SendKind, sendKinds } from '../../../shared/contract/channels.ts';
import {
  enqueueOutbound,
  outboundEntryOf,
  outboundUrlOf,
} from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import type { Message } from '../../../shared/message/message.ts';
import { refusal, strictSqs } from '../../support/engine/strict-sqs.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { aMessage } from '../../support/message/example-message.ts';

const url = (kind: SendKind) => `https://sqs.eu-west-1.amazonaws.com/123456789012/gateway-${kind}`;
const env = {
  OTP_OUTBOUND_QUEUE_URL: url('otp'),
  OUTBOUND_QUEUE_URL: url('single'),
  BULK_OUTBOUND_QUEUE_URL: url('bulk'),
};
const otp = {
  otp_id: 'otp_1',
  code_length: 6,
  expires_at: '2026-11-20T10:05:00.000Z',
  attempts_remaining: 5,
};
const messages: Readonly<Record<SendKind, Message>> = {
  otp: aMessage({ message_id: 'msg_otp', otp }),
  single: aMessage({ message_id: 'msg_single' }),
  bulk: aMessage({ message_id: 'msg_bulk', batch_id: 'bat_1' }),
};

function queues(refuses: (body: string) => boolean = () => false) {
  const queued: [string, string][] = [];
  const sqs = strictSqs({
    refuses,
    refusesCall: () => false,
    deliver: (queue, { MessageBody = '' }) =>
      void queued.push([queue, (JSON.parse(MessageBody) as { message_id: string }).message_id]),
  });
  return { queued, context: testContext(undefined, { env, sqs: () => sqs }) };
}

describe('a message', () => {
  it('is put into the queue of its kind, which follows from its row only', async () => {
    const { queued, context } = queues();
    await enqueueOutbound(
      context,
      sendKinds.map((kind) => outboundEntryOf(messages[kind])),
    );
    expect(queued.toSorted()).toEqual(sendKinds.map((kind) => [url(kind), `msg_${kind}`]).toSorted());
  });

  it('that its queue refuses keeps no message out of the other queues', async () => {
    const { queued, context } = queues((body) => body.includes('msg_otp'));
    await expect(
      enqueueOutbound(
        context,
        sendKinds.map((kind) => outboundEntryOf(messages[kind])),
      ),
    ).rejects.toMatchObject({ name: 'RefusedEntries' });
    expect(queued.map(([, id]) => id).toSorted()).toEqual(['msg_bulk', 'msg_single']);
  });

  it('that may not be in its queue fails with an error that a retry may mend, though another was refused', async () => {
    const sqs = strictSqs({
      refuses: (body) => body.includes('msg_otp'),
      refusesCall: () => false,
      deliver: () => {
        throw refusal('Throttling');
      },
    });
    await expect(
      enqueueOutbound(
        testContext(undefined, { env, sqs: () => sqs }),
        sendKinds.map((kind) => outboundEntryOf(messages[kind])),
      ),
    ).rejects.toMatchObject({ name: 'Throttling' });
  });
});

it('the queue that an event comes from follows from its ARN', () => {
  const context = testContext(undefined, { env });
  for (const kind of sendKinds)
    expect(outboundUrlOf(context, `arn:aws:sqs:eu-west-1:123456789012:gateway-${kind}`)).toBe(url(kind));
  expect(() => outboundUrlOf(context, 'arn:aws:sqs:eu-west-1:123456789012:gateway-webhooks')).toThrow(
    /none of the outbound queues/,
  );
});
