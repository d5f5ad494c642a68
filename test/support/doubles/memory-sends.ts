/** The four sends on stores in memory. */

import { sendBulkSms } from '../../../shared/message/send/send-bulk-sms.ts';
import { sendSms } from '../../../shared/message/send/send-sms.ts';
import { sendWhatsApp } from '../../../shared/message/send/send-whatsapp.ts';
import type { Operation } from '../../../shared/operation/operation.ts';
import { sendOtp } from '../../../shared/otp/send-otp.ts';
import { type SendName, webhookUrl } from '../message/ask-operation.ts';
import { memoryBatchStore } from './memory-batch-store.ts';
import { type MemoryMessageStore, memoryMessageStore } from './memory-message-store.ts';
import { memoryOtpStore } from './memory-otp-store.ts';
import { memorySenderPace } from './memory-sender-pace.ts';
import { allowanceOf } from './no-caps.ts';
import { noSenders } from './no-senders.ts';

export const sendNames: readonly SendName[] = ['sms', 'bulk', 'otp', 'whatsapp'];

interface MemorySends {
  readonly operations: Readonly<Record<SendName, Operation>>;
  readonly messages: MemoryMessageStore;
  readonly otps: ReturnType<typeof memoryOtpStore>;
}

/** @param stageCountries - of clients without a list of their own */
export function memorySends(stageCountries?: readonly string[]): MemorySends {
  const messages = memoryMessageStore();
  const otps = memoryOtpStore();
  const operations = {
    sms: sendSms({ messages, allowanceOf, stageCountries, ...noSenders, webhookUrl }),
    bulk: sendBulkSms({
      messages,
      batches: memoryBatchStore(),
      allowanceOf,
      stageCountries,
      ...noSenders,
      webhookUrl,
      pace: memorySenderPace(),
    }),
    otp: sendOtp({ messages, otps, allowanceOf, stageCountries, ...noSenders, webhookUrl }),
    whatsapp: sendWhatsApp({ messages, allowanceOf, stageCountries, ...noSenders, webhookUrl }),
  };
  return { operations, messages, otps };
}

/** The smallest request of each send to one recipient. */
export function smallRequest(name: SendName, to: string): Record<string, unknown> {
  if (name === 'otp') return { to };
  return name === 'bulk' ? { message: 'Hello', recipients: [to] } : { message: 'Hello', to };
}
