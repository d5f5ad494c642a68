/** Tells AWS End User Messaging that the recipient of an SMS has it. The same message may be reported any number of times. */
import { PinpointSMSVoiceV2Client, PutMessageFeedbackCommand } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import type { ReportReceived } from '../../otp/report-verified.ts';

/** A retry would be refused again: the message is too old, or was sent without feedback. */
const final: readonly string[] = ['ResourceNotFoundException', 'ValidationException'];

export function awsSmsFeedback(timeLimitMs: number): ReportReceived {
  const client = new PinpointSMSVoiceV2Client({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000 },
  });
  return async (carrierMessageId) => {
    const input = { MessageId: carrierMessageId, MessageFeedbackStatus: 'RECEIVED' } as const;
    try {
      await client.send(new PutMessageFeedbackCommand(input), {
        abortSignal: AbortSignal.timeout(timeLimitMs),
      });
      return { reported: true };
    } catch (error) {
      if (error instanceof Error && final.includes(error.name))
        return { reported: false, reason: error.name };
      throw error;
    }
  };
}
