/** POST /api/v1/otp/verify: counts an attempt, then compares the code. A password can be verified once. */
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { secretsManagerOtpSecrets } from '../shared/otp/otp-code.secrets.ts';
import { verifyOtp } from '../shared/otp/verify-password.ts';
import { secretsManager } from '../shared/platform/aws/clients.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const context = contextOf(environmentOf<'verify-otp'>());
const { env, clock } = context;

export const handler = httpFunction(
  context,
  routes.verifyOtp,
  verifyOtp(context, secretsManagerOtpSecrets(secretsManager(), env.OTP_SECRET_ARN, clock)),
);
