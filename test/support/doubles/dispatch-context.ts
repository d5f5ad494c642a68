/**
 * The context of a hand-over that nothing prevents: no suppression, no cap, no other load of the sender, no queue, and
 * one-time passwords that can be verified. A test gives what it is about.
 */
import type { DispatchContext } from '../../../shared/message/dispatch/dispatch-context.ts';
import { newWorkerPace } from '../../../shared/message/dispatch/sender-pace.dynamo.ts';
import { otpText } from '../../../shared/otp/otp.ts';
import { outboundSqs, testContext } from '../engine/test-context.ts';

export function dispatchContext(
  given: Partial<DispatchContext> & { readonly carriersFor: DispatchContext['carriersFor'] },
): DispatchContext {
  return {
    ...testContext(undefined, { sqs: outboundSqs(() => {}) }),
    bodyOf: async () => ({ text: 'Hello' }),
    isDisabled: async () => false,
    pace: newWorkerPace(),
    currentPaceOf: async () => undefined,
    takeFromCaps: async () => {},
    otpLegs: {
      isPending: async () => true,
      refusalOf: async () => undefined,
      count: async () => undefined,
      noteStarted: async () => {},
      textOf: otpText,
    },
    ...given,
  };
}
