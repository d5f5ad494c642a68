/**
 * Sends SMS by Twilio (twilio-oai, `twilio_api_v2010.json`). Twilio has no idempotency key, so a call is never repeated. If
 * a response is lost, only the status callback, whose URL contains the attempt's id, proves that Twilio has the message.
 * Twilio's list of messages proves nothing, because another message to the same recipient may have the same text.
 */

import * as z from 'zod/mini';
import { expectedPrice } from '../../contract/prices.ts';
import { fromOf } from '../../message/attempt.ts';
import type { Carrier, HandOver } from '../../message/dispatch/carrier.ts';
import { jsonIn } from '../../platform/object-fields.ts';
import {
  type CallContext,
  type CarrierContext,
  type CarrierModule,
  refusedWith,
  validitySecondsFor,
} from '../carrier-module.ts';
import { callVendor, checkedBy, newestOf } from '../http-call.ts';
import { type TwilioCredentials, twilioCredentials, twilioDescriptor } from './twilio-descriptor.ts';
import { costOf, outcomeOfStatus, twilioErrors } from './twilio-statuses.ts';

const publicApi = 'https://api.twilio.com';
/** Twilio's error "Too many requests". */
const throttledCode = 20_429;

const errorBody = z.object({ code: z.nullish(z.int()) });
const createdMessage = z.object({
  sid: z.string().check(z.minLength(1)),
  status: z.nullish(z.string()),
  error_code: z.nullish(z.int()),
});
const foundMessage = z.object({
  sid: z.string().check(z.minLength(1)),
  status: z.string(),
  error_code: z.nullish(z.int()),
  price: z.nullish(z.string()),
  price_unit: z.nullish(z.string()),
});

export const twilio: CarrierModule<TwilioCredentials> = {
  descriptor: twilioDescriptor,
  errors: { sms: twilioErrors },
  credentials: twilioCredentials,
  create: (_channel, context) => twilioSms(context),
  checkCredentials: (context) => checkedBy(call(context, 'GET', '.json')),
};

function twilioSms(context: CarrierContext<TwilioCredentials>): Carrier {
  return {
    defaultSender: async () => (await newestOf(context)).from,
    async handOver({ message, body, attempt }) {
      const from = fromOf(message) ?? (await newestOf(context)).from;
      const response = await call(context, 'POST', '/Messages.json', {
        To: message.recipient,
        ...(from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from }),
        Body: body.text,
        ValidityPeriod: String(validitySecondsFor(twilioDescriptor, message.expires_at, context.clock())),
        StatusCallback: context.callbackUrl(`receipts/${attempt.id}`),
      });
      if (!response.connected) return { outcome: 'not_taken', reason: response.reason };
      if (response.status < 300) {
        const { sid, status, error_code } = createdMessage.parse(JSON.parse(response.text));
        if (error_code && (status === 'failed' || status === 'undelivered')) return refusedFor(error_code);
        return { outcome: 'accepted', carrierMessageId: sid, ...expectedPrice(context.prices, message) };
      }
      return refusalIn(response.status, response.text);
    },
    async lookup({ message, attempt, carrierMessageId }) {
      if (carrierMessageId === undefined) return undefined;
      const response = await call(context, 'GET', `/Messages/${carrierMessageId}.json`);
      if (!response.connected) throw new Error(`no connection to Twilio: ${response.reason}`);
      if (response.status !== 200) throw new Error(`Twilio responded ${response.status}`);
      const found = foundMessage.parse(JSON.parse(response.text));
      const outcome = outcomeOfStatus(found.status, String(found.error_code ?? ''));
      if (outcome === undefined) return { carrierMessageId: found.sid };
      return {
        carrierMessageId: found.sid,
        receipt: {
          messageId: message.message_id,
          attempt: attempt.number,
          carrierMessageId: found.sid,
          transition: { ...outcome, at: context.clock(), carrierMessageId: found.sid, ...costOf(found) },
        },
      };
    },
  };
}

/** @throws Error unless Twilio's own error says that it has not accepted the message */
function refusalIn(status: number, text: string): HandOver {
  const code = errorBody.safeParse(jsonIn(text)).data?.code ?? undefined;
  if (code === undefined) throw new Error(`Twilio responded ${status} without a code`);
  if (status === 429 || code === throttledCode) return { outcome: 'throttled', reason: `HTTP ${status}` };
  // These statuses mean wrong credentials or a suspended account.
  if (status === 401 || status === 403 || status === 404)
    return { outcome: 'not_taken', reason: `HTTP ${status}, code ${code}` };
  if (status !== 400) throw new Error(`Twilio responded ${status}`);
  return refusedFor(code);
}

function refusedFor(code: number): HandOver {
  return refusedWith(twilioErrors[code] ?? { code: 'carrier_rejected', elsewhere: true });
}

async function call(
  context: CallContext<TwilioCredentials>,
  method: 'GET' | 'POST',
  path: string,
  fields?: Readonly<Record<string, string>>,
): ReturnType<typeof callVendor> {
  const { account_sid, auth_token, base_url = publicApi } = await newestOf(context);
  const authorization = Buffer.from(`${account_sid}:${auth_token}`).toString('base64');
  return callVendor({
    method,
    url: `${base_url}/2010-04-01/Accounts/${account_sid}${path}`,
    headers: {
      authorization: `Basic ${authorization}`,
      accept: 'application/json',
      ...(fields === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(fields === undefined ? {} : { body: new URLSearchParams(fields).toString() }),
    timeLimitMs: context.timeLimitMs,
  });
}
