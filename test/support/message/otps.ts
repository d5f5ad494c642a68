/** One-time passwords on private tables, from send to verification, at times of the test's own. */

import type { Client } from '../../../shared/client/client.ts';
import type { HandOverBody } from '../../../shared/message/dispatch/carrier.ts';
import { readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import type { ApiResponse } from '../../../shared/operation/operation.ts';
import type { OtpSecrets } from '../../../shared/otp/otp-code.secrets.ts';
import { handOverBodies } from '../../../shared/otp/otp-hand-over.ts';
import { verifyOtp } from '../../../shared/otp/verify-password.ts';
import { testContext } from '../engine/test-context.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { ask, sendsIn } from './sends.ts';

export const otpRecipient = '+447700900123';

export function secretsOf(...secrets: string[]): OtpSecrets {
  const all = async () => secrets;
  return { all, latest: all, current: async () => secrets[0] ?? '' };
}

const known = secretsOf('the secret');

interface OtpBody {
  readonly otp_id: string;
  readonly message_id: string;
  readonly expires_at: string;
  readonly attempts_remaining: number;
}

interface Otps {
  /** The response to a send that is accepted. */
  sendOtp(client: Client, body?: object, at?: Date): Promise<OtpBody>;
  verify(client: Client, body: object, at?: Date, secrets?: OtpSecrets): Promise<ApiResponse>;
  /** What the carrier gets. */
  bodyOf(messageId: string): Promise<HandOverBody>;
}

/** @param tables - as they are once a test runs */
export function otpsIn(tables: () => TestTables, now: Date): Otps {
  return {
    async sendOtp(client, body = {}, at = now) {
      const asked = { client, now: at, body: { to: otpRecipient, ...body } };
      const answer = await ask(sendsIn(tables()).otp, asked);
      if (answer.status !== 202) throw new Error(`a send was answered with ${answer.status}`);
      return answer.body as OtpBody;
    },

    async verify(client, body, at = now, secrets = known) {
      return ask(verifyOtp(testContext(tables()), secrets), { client, now: at, body });
    },

    async bodyOf(messageId) {
      const message = await readMessage(testContext(tables()), messageId);
      if (message === undefined) throw new Error('no such message');
      return handOverBodies(known)(message);
    },
  };
}

/** Another code of the same length. */
export function wrong(code: string): string {
  return code.startsWith('1') ? `2${code.slice(1)}` : `1${code.slice(1)}`;
}
