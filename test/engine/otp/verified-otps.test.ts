/** What is reported to the carrier is read from the stream of the one-time passwords. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, it } from '@jest/globals';
import { verifiedOtps } from '../../../shared/otp/report-verified.ts';

const recipient = '+447700900123';

it('only rows of verified passwords by SMS, with their message, are reported', () => {
  const row = {
    otp_id: 'otp_1',
    client_id: 'acme',
    recipient,
    message_id: 'msg_1',
    channel: 'sms',
    status: 'verified',
  };
  const { message_id: _none, ...old } = row;
  const images = [
    row,
    { ...row, status: 'pending' },
    { ...row, channel: 'whatsapp' },
    old,
    { otp_id: 'pending#a' },
  ];
  const records = images.map((image) => ({
    eventID: 'event',
    dynamodb: { NewImage: marshall(image), ApproximateCreationDateTime: 1 },
  }));
  expect(verifiedOtps([...records, { eventID: 'removed', dynamodb: {} }])).toEqual([
    { otpId: 'otp_1', clientId: 'acme', recipient, messageId: 'msg_1', verifiedAt: new Date(1000) },
  ]);
});
