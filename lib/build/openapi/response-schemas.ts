/** The schemas of all successful responses. A test checks the deployed gateway's responses against them. */
import * as z from 'zod/mini';
import { accountResponses } from '../../../shared/account/account-response.schema.ts';
import {
  messageResponses,
  suppressionResponses,
  testOutboxResponses,
} from '../../../shared/message/message-response.schema.ts';
import { dryRunResponses } from '../../../shared/message/send/dry-run-response.schema.ts';
import { described } from '../../../shared/operation/fields.ts';
import { otpResponses } from '../../../shared/otp/otp-response.schema.ts';
import { usageResponses } from '../../../shared/usage/usage-response.schema.ts';
import { webhookResponses } from '../../../shared/webhook/webhook-response.schema.ts';

const accessToken = z.object({
  access_token: described(z.string(), 'A JWT (ES256), to be sent as `Authorization: Bearer <access_token>`.'),
  token_type: described(z.string(), 'Always `bearer`.'),
  scope: described(
    z.optional(z.string()),
    'The scopes of the token, separated by spaces; present only if the request contained `scope`.',
  ),
  expires_in: described(z.int(), 'The lifetime in seconds.'),
});

/** The response schemas by their names in the `components` of the document. */
export const responseSchemas = {
  AccessToken: accessToken,
  ...accountResponses,
  ...messageResponses,
  ...dryRunResponses,
  ...otpResponses,
  ...suppressionResponses,
  ...testOutboxResponses,
  ...usageResponses,
  ...webhookResponses,
} as const;
