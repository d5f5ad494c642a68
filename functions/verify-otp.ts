/** POST /api/v1/otp/verify: counts an attempt, then compares its code; a password verifies once. */
import { dynamo, secretsManager } from '../shared/aws.ts';
import { systemClock } from '../shared/clock.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { secretsManagerOtpSecrets } from '../shared/otp/otp-secret.secrets.ts';
import { dynamoOtpStore } from '../shared/otp/otp-store.dynamo.ts';
import { verifyOtp } from '../shared/otp/verify-otp.ts';
import { routes } from '../shared/routes.ts';

const env = readEnvironment(['ONE_TIME_PASSWORDS_TABLE', 'OTP_SECRET_ARN']);

export const handler = httpFunction(
  routes.verifyOtp,
  verifyOtp({
    otps: dynamoOtpStore(dynamo(), env.ONE_TIME_PASSWORDS_TABLE),
    secrets: secretsManagerOtpSecrets(secretsManager(), env.OTP_SECRET_ARN, systemClock),
  }),
);
