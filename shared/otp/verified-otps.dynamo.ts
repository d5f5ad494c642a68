/** Reads the one-time passwords that were just verified from the records of their table's stream. */
import * as z from 'zod/mini';
import { modeOf } from '../contract/mode.ts';
import { rowIn, type StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import { smsSendsOf } from './otp.ts';
import type { VerifiedOtp } from './report-verified.ts';

/** Rows of older releases, which have no message, are left out. */
const verifiedRow = z.object({
  otp_id: z.string(),
  client_id: z.string(),
  recipient: z.string(),
  message_id: z.string(),
  status: z.literal('verified'),
  channel: z.string(),
  sms_sends: z.exactOptional(z.int()),
  falls_back_to_sms: z.exactOptional(z.boolean()),
});

export function verifiedOtps(records: readonly StreamRecord[]): VerifiedOtp[] {
  return records.flatMap(({ dynamodb }) => {
    const otp = rowIn(dynamodb?.NewImage) ?? {};
    const row = verifiedRow.safeParse(otp);
    if (!row.success || smsSendsOf(row.data) === 0) return [];
    // No carrier is told of test data.
    if (modeOf(row.data.client_id) === 'test') return [];
    const { otp_id, client_id, recipient, message_id } = row.data;
    return [{ otpId: otp_id, clientId: client_id, recipient, messageId: message_id }];
  });
}
