/** Which hand-overs the objective for one-time passwords measures, and how. */
import { expect, it } from '@jest/globals';
import { clientIdIn } from '../../../shared/contract/mode.ts';
import type { Message } from '../../../shared/message/message.ts';
import { otpHandOverMs } from '../../../shared/otp/otp.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const otp = {} as NonNullable<Message['otp']>;

it('measures a one-time password from its request', () => {
  expect(otpHandOverMs(aMessage({ otp }), addSeconds(created, 2.5))).toBe(2500);
});

it('never measures less than nothing, where the clock of the request was ahead', () => {
  expect(otpHandOverMs(aMessage({ otp }), addSeconds(created, -1))).toBe(0);
});

it.each<[string, Partial<Message>]>([
  ['a message that is no one-time password', {}],
  ['a further leg, which comes later on purpose', { otp, leg: 2 }],
  ['what a test key sent', { otp, client_id: clientIdIn('test', 'client-a') }],
])('does not measure %s', (_what, more) => {
  expect(otpHandOverMs(aMessage(more), addSeconds(created, 2))).toBeUndefined();
});
