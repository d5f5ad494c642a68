/** POST /api/v1/otp/verify: counts an attempt, then compares the code. A password can be verified once. */
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies } from '../shared/http/guards.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { secretsManagerOtpSecrets } from '../shared/otp/otp-secret.secrets.ts';
import { dynamoOtpStore } from '../shared/otp/otp-store.dynamo.ts';
import { verifyOtp } from '../shared/otp/verify-otp.ts';
import { dynamo, secretsManager } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';

const env = environmentOf<'verify-otp'>();

export const handler = httpFunction(
  routes.verifyOtp,
  verifyOtp(
    dynamoOtpStore(dynamo(), env.ONE_TIME_PASSWORDS_TABLE),
    secretsManagerOtpSecrets(secretsManager(), env.OTP_SECRET_ARN, systemClock),
  ),
  { dependencies: httpDependencies(env) },
);
