/** For hand-overs that are not about the further legs of one-time passwords: each can be verified, and none is refused. */
import type { DispatchDependencies } from '../../../shared/message/dispatch/call-carrier.ts';
import { otpText } from '../../../shared/otp/otp-text.ts';

export const noOtpLegs: Pick<DispatchDependencies, 'otpLegs'> = {
  otpLegs: {
    isPending: async () => true,
    refusalOf: async () => undefined,
    count: async () => undefined,
    giveBack: async () => {},
    noteStarted: async () => {},
    textOf: otpText,
  },
};
