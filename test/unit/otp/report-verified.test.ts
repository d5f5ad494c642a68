/** The messages of a verified one-time password are reported as received, however often, and whatever fails on the way. */

import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { awsSmsFeedback } from '../../../shared/carrier/aws/aws-sms.ts';
import type { Message } from '../../../shared/message/message.ts';
import { createMessages } from '../../../shared/message/store/messages.dynamo.ts';
import { countOtpSend } from '../../../shared/otp/otp-store.dynamo.ts';
import { reportVerified, verifiedOtps } from '../../../shared/otp/report-verified-passwords.ts';
import { addSeconds, epochSeconds } from '../../../shared/platform/clock.ts';
import {
  type CarrierServer,
  carrierEnvironment,
  startCarrierServer,
} from '../../support/carrier/carrier-server.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aSendingMessage } from '../../support/message/example-message.ts';

const now = new Date('2026-11-20T10:00:00.000Z');
const recipient = '+447700900123';
const verified = { otpId: 'otp_1', clientId: 'acme', recipient, messageId: 'msg_1', verifiedAt: now };
let server: CarrierServer;

beforeAll(async () => {
  server = await startCarrierServer();
  Object.assign(process.env, carrierEnvironment(server.url));
});
beforeEach(() => server.answerWith({ id: 'carrier-1' }));
afterAll(() => server.close());

const anOtp = (otp_id: string) => ({
  otp_id,
  code_length: 6,
  expires_at: '2026-11-20T10:05:00.000Z',
  attempts_remaining: 5,
});

function messageOf(message_id: string, change: Partial<Message> = {}): Message {
  return aSendingMessage({
    message_id,
    status: 'sent',
    carrier_message_id: `carrier-of-${message_id}`,
    otp: anOtp('otp_1'),
    ...change,
  });
}

async function dependenciesWith(rows: readonly Message[]) {
  const { context } = inMemoryStores();
  await createMessages(context, rows);
  for (const { message_id } of rows)
    await countOtpSend(context, { clientId: 'acme', recipient }, message_id, now);
  return { ...context, report: awsSmsFeedback(), clock: () => now };
}

const reportedIds = (since: number): unknown[] => server.requests.slice(since).map(({ body }) => body);

describe('a verified password', () => {
  it('is reported with its SMS only, also where it fell back to SMS', async () => {
    const first = messageOf('msg_1', { channel: 'whatsapp' });
    const dependencies = await dependenciesWith([
      first,
      messageOf('msg_2', { fallback_of: 'msg_1', leg: 2 }),
    ]);
    expect(await reportVerified(dependencies, [verified])).toEqual({ reported: 1, refused: [], givenUp: [] });
    const row = { otp_id: 'otp_1', client_id: 'acme', recipient, message_id: 'msg_1', status: 'verified' };
    const found = (more: object) =>
      verifiedOtps([
        {
          dynamodb: {
            NewImage: marshall({ ...row, ...more }),
            ApproximateCreationDateTime: epochSeconds(now),
          },
        },
      ]);
    expect(found({ sms_sends: 1 })).toEqual([verified]);
    expect(found({ sms_sends: 0 })).toEqual([]);
  });

  it('is reported with all messages of the same code, and none of others to the same person', async () => {
    const dependencies = await dependenciesWith([
      messageOf('msg_1'),
      messageOf('msg_2'),
      messageOf('msg_3', { otp: anOtp('otp_2') }),
    ]);
    const before = server.requests.length;
    expect(await reportVerified(dependencies, [verified])).toEqual({ reported: 2, refused: [], givenUp: [] });
    expect(new Set(reportedIds(before))).toEqual(
      new Set([
        { MessageId: 'carrier-of-msg_1', MessageFeedbackStatus: 'RECEIVED' },
        { MessageId: 'carrier-of-msg_2', MessageFeedbackStatus: 'RECEIVED' },
      ]),
    );
  });

  it('is tried again as long as AWS fails, and while the result of its hand-over is not stored', async () => {
    const dependencies = await dependenciesWith([messageOf('msg_1')]);
    server.answerWith({ status: 500, error: 'InternalServerException' });
    await expect(reportVerified(dependencies, [verified])).rejects.toThrow();
    const { carrier_message_id: _none, ...sending } = messageOf('msg_1', { status: 'sending' });
    const early = await dependenciesWith([sending]);
    await expect(reportVerified(early, [verified])).rejects.toThrow('not handed over yet');
  });

  it('is given up after a quarter of an hour, and holds up no other until then', async () => {
    const { carrier_message_id: _none, ...sending } = messageOf('msg_1', { status: 'sending' });
    const dependencies = await dependenciesWith([sending, messageOf('msg_2', { otp: anOtp('otp_2') })]);
    const other = { ...verified, otpId: 'otp_2', messageId: 'msg_2' };
    const before = server.requests.length;
    await expect(reportVerified(dependencies, [verified, other])).rejects.toThrow('otp_1');
    expect(reportedIds(before)).toMatchObject([{ MessageId: 'carrier-of-msg_2' }]);
    const later = { ...dependencies, clock: () => addSeconds(now, 900) };
    expect(await reportVerified(later, [verified, other])).toMatchObject({
      reported: 1,
      givenUp: [{ otpId: 'otp_1' }],
    });
  });

  it.each(['ResourceNotFoundException', 'ValidationException'])(
    'is not tried again after %s',
    async (error) => {
      server.answerWith({ status: 400, error });
      const dependencies = await dependenciesWith([messageOf('msg_1')]);
      expect(await reportVerified(dependencies, [verified])).toEqual({
        reported: 0,
        refused: [error],
        givenUp: [],
      });
    },
  );

  it('needs nothing where its message was never handed over, or is deleted', async () => {
    const { carrier_message_id: _none, ...failed } = messageOf('msg_1', { status: 'failed' });
    expect(await reportVerified(await dependenciesWith([failed]), [verified])).toEqual({
      reported: 0,
      refused: [],
      givenUp: [],
    });
    expect(await reportVerified(await dependenciesWith([]), [verified])).toEqual({
      reported: 0,
      refused: [],
      givenUp: [],
    });
  });
});

it('only rows of verified passwords by SMS are reported', () => {
  const row = {
    ...{ otp_id: 'otp_1', client_id: 'acme', recipient, message_id: 'msg_1' },
    ...{ sms_sends: 1, status: 'verified' },
  };
  const images = [row, { ...row, status: 'pending' }, { ...row, sms_sends: 0 }, { otp_id: 'p' }];
  const ApproximateCreationDateTime = now.getTime() / 1000;
  const records = images.map((image) => ({
    dynamodb: { NewImage: marshall(image), ApproximateCreationDateTime },
  }));
  expect(verifiedOtps([...records, { dynamodb: {} }])).toEqual([verified]);
});
