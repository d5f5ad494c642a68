/** Reads the stream of the one-time passwords and reports the messages of verified ones to AWS as received. */
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { awsSmsFeedback } from '../shared/carrier/aws/aws-sms.ts';
import { reportVerified, verifiedOtps } from '../shared/otp/report-verified-passwords.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { log } from '../shared/platform/log.ts';

const context = { ...contextOf(environmentOf<'report-verified'>()), report: awsSmsFeedback() };

export async function handler(event: DynamoDBStreamEvent): Promise<void> {
  const verified = verifiedOtps(event.Records);
  const { reported, refused, givenUp } = await reportVerified(context, verified);
  for (const { otpId, error } of givenUp)
    log.warn('verified one-time password not reported', { otp_id: otpId, error });
  log.info('verified one-time passwords reported', { otps: verified.length, reported, refused });
}
