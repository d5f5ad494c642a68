/**
 * The dependencies of a hand-over that nothing prevents: no suppression, no cap, no other load of the sender, and one-time
 * passwords that can be verified. A test gives what it is about.
 */
import type { DispatchDependencies } from '../../../shared/message/dispatch/call-carrier.ts';
import { otpText } from '../../../shared/otp/otp-text.ts';
import { inMemoryPace } from '../engine/stores.ts';
import { testContext } from '../engine/test-context.ts';
import { attemptRules } from '../message/example-message.ts';

type Given = Pick<DispatchDependencies, 'carriersFor' | 'clock'> & Partial<DispatchDependencies>;

export function dispatchDependencies({ pace, ...given }: Given): DispatchDependencies {
  return {
    ...testContext(),
    attemptRules,
    bodyOf: async () => ({ text: 'Hello' }),
    isDisabled: async () => false,
    pace: pace ?? inMemoryPace(given.clock),
    currentPaceOf: async () => undefined,
    suppressions: { isSuppressed: async () => false },
    recordOptOut: async () => true,
    outbound: { enqueue: async () => {} },
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
