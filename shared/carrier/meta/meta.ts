/**
 * Sends WhatsApp messages directly by Meta's Cloud API. Meta has no idempotency key, so a call is not repeated after a lost
 * response. A later status of the message names the attempt.
 */

import * as z from 'zod/mini';
import { messageError } from '../../contract/message-error-codes.ts';
import { expectedPrice } from '../../contract/prices.ts';
import { fromOf } from '../../message/attempt.ts';
import type { Carrier, HandOver } from '../../message/dispatch/carrier.ts';
import { jsonIn } from '../../platform/object-fields.ts';
import type { CallContext, CarrierContext, CarrierModule, CredentialCheck } from '../carrier-module.ts';
import { callVendor, checkedBy, newestOf } from '../http-call.ts';
import { metaApiVersion, whatsAppPayload } from '../whatsapp-payload.ts';
import { whatsAppErrors } from '../whatsapp-statuses.ts';
import { type MetaCredentials, metaCredentials, metaDescriptor } from './meta-descriptor.ts';

export const meta: CarrierModule<MetaCredentials> = {
  descriptor: metaDescriptor,
  errors: { whatsapp: whatsAppErrors },
  credentials: metaCredentials,
  create: (_channel, context) => metaWhatsApp(context),
  checkCredentials: checkMeta,
};

const graphUrl = 'https://graph.facebook.com';

const taken = z.object({ messages: z.array(z.object({ id: z.string().check(z.minLength(1)) })) });

const fault = z.object({ error: z.object({ code: z.int() }) });

/** Meta's codes for rate limits: of the app, of the account, and of the number (80 a second). */
const throttlingCodes: readonly number[] = [4, 80_007, 130_429];

/** Meta's code for the rate limit of one number to one recipient: a message in six seconds. */
const pairRateCode = 131_056;

/** True if the token or a permission caused the error. Such an error never fails a message. */
const isAboutAccess = (code: number): boolean =>
  [0, 3, 10, 190, 131_005].includes(code) || (code >= 200 && code <= 299);

/** With these codes, Meta reports that it is down, overloaded or in maintenance, and has not accepted the message. */
const unavailableCodes: readonly number[] = [2, 131_016, 131_057, 133_004];

/** Meta does not say that these codes are refusals, so it may have sent the message. */
const unknownCodes: readonly number[] = [1, 131_000];

function metaWhatsApp(context: CarrierContext<MetaCredentials>): Carrier {
  return {
    defaultSender: async () => (await newestOf(context)).phone_number_id,
    async handOver(request) {
      const credentials = await newestOf(context);
      const number = fromOf(request.message) ?? credentials.phone_number_id;
      const payload = whatsAppPayload(request, credentials.otp_template);
      const response = await call(context, credentials, 'POST', `${number}/messages`, payload);
      if (!response.connected) return { outcome: 'not_taken', reason: response.reason };
      const { status, text } = response;
      if (status !== 200) return outcomeOfFault(status, text);
      const [message] = taken.parse(JSON.parse(text)).messages;
      if (message === undefined) throw new Error('Meta answered without a message id');
      const price = expectedPrice(context.prices, request.message);
      return { outcome: 'accepted', carrierMessageId: message.id, ...price };
    },
  };
}

async function checkMeta(context: CallContext<MetaCredentials>): Promise<CredentialCheck> {
  const credentials = await newestOf(context);
  const path = `${credentials.phone_number_id}?fields=verified_name,quality_rating`;
  return checkedBy(call(context, credentials, 'GET', path));
}

function outcomeOfFault(status: number, text: string): HandOver {
  // A response without a code comes from a proxy.
  const code = fault.safeParse(jsonIn(text)).data?.error.code;
  if (code === undefined) throw new Error(`Meta answered ${status} without a code`);
  const reason = `${status} ${code}`;
  if (code === pairRateCode) return { outcome: 'throttled', reason, forRecipient: true };
  if (status === 429 || throttlingCodes.includes(code)) return { outcome: 'throttled', reason };
  if (unknownCodes.includes(code)) throw new Error(`Meta answered ${reason}`);
  if (unavailableCodes.includes(code) || isAboutAccess(code)) return { outcome: 'not_taken', reason };
  const known = whatsAppErrors[code];
  if (known === undefined && status >= 500) throw new Error(`Meta answered ${reason}`);
  const { code: ours, elsewhere = false } = known ?? { code: 'carrier_rejected' };
  return { outcome: 'refused', ...messageError(ours), elsewhere };
}

function call(
  { timeLimitMs }: CallContext<MetaCredentials>,
  { base_url = graphUrl, access_token }: MetaCredentials,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
) {
  return callVendor({
    url: `${base_url}/${metaApiVersion}/${path}`,
    method,
    headers: {
      authorization: `Bearer ${access_token}`,
      'content-type': 'application/json',
      'user-agent': 'messaging-gateway/1.0.0',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeLimitMs,
  });
}
