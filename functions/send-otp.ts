/** POST /api/v1/otp/send: stores a message with a one-time password. The code is created at the hand-over to the carrier. */
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { sendOtp } from '../shared/otp/send-password.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';

const context = contextOf(environmentOf<'send-otp'>());

export const handler = httpFunction(context, routes.sendOtp, sendOtp(context, webhookUrlFrom(context.env)));
