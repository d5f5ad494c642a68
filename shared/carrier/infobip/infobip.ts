/**
 * Sends SMS by Infobip's API, version 3. The attempt's id is the `messageId`, by which Infobip recognizes a repeat. So if a
 * response is lost, the request can be repeated.
 */

import * as z from 'zod/mini';
import { messageError } from '../../contract/message-error-codes.ts';
import { expectedPrice } from '../../contract/prices.ts';
import { fromOf } from '../../message/attempt.ts';
import type { Carrier, HandOver, HandOverRequest } from '../../message/dispatch/carrier.ts';
import { jsonIn } from '../../platform/object-fields.ts';
import type { CallContext, CarrierContext, CarrierModule } from '../carrier-module.ts';
import { validitySecondsFor } from '../carrier-module.ts';
import { callVendor, checkedBy, newestOf } from '../http-call.ts';
import { type InfobipCredentials, infobipCredentials, infobipDescriptor } from './infobip-descriptor.ts';
import {
  duplicateMessageId,
  infobipErrors,
  infobipStatus,
  reasonOf,
  receiptOf,
  report,
  statusGroups,
} from './infobip-statuses.ts';

export const infobip: CarrierModule<InfobipCredentials> = {
  descriptor: infobipDescriptor,
  errors: { sms: infobipErrors },
  credentials: infobipCredentials,
  create: (_channel, context) => infobipSms(context),
  checkCredentials: async (context) =>
    checkedBy(call(context, await newestOf(context), 'GET', '/account/1/balance')),
};

const commonHost = 'api.infobip.com';

const sendResponse = z.object({
  messages: z.array(z.object({ status: infobipStatus })).check(z.minLength(1)),
});

/** The error that Infobip returns. An error without a code comes from a proxy. */
const apiError = z.object({ errorCode: z.string().check(z.minLength(1)) });

/** The field of the request that Infobip refuses, such as `messages[0].destinations[0].to`. */
const violations = z.object({ violations: z.array(z.object({ property: z.string() })) });

const logs = z.object({ results: z.array(report) });

function infobipSms(context: CarrierContext<InfobipCredentials>): Carrier {
  return {
    // The numbers in Infobip's reports have no plus. The gateway adds it when it reads a report.
    defaultSender: async () => (await newestOf(context)).from.replace(/^(?=\d{7,}$)/, '+'),
    async handOver(request) {
      const credentials = await newestOf(context);
      const body = bodyOf(request, credentials, context);
      const response = await call(context, credentials, 'POST', '/sms/3/messages', body);
      if (!response.connected) return { outcome: 'not_taken', reason: response.reason };
      const { status, text } = response;
      if (status === 200)
        return outcomeOf(sendResponse.parse(JSON.parse(text)).messages[0]?.status, request, context);
      if (!apiError.safeParse(jsonIn(text)).success)
        throw new Error(`Infobip answered ${status} without a code`);
      if (status === 429) return { outcome: 'throttled', reason: '429' };
      // These statuses concern the account, so the message must not fail.
      if (status === 401 || status === 403) return { outcome: 'not_taken', reason: `${status}` };
      if (status === 400) return refusedRequest(text);
      throw new Error(`Infobip answered ${status}`);
    },
    async lookup({ attempt }) {
      const path = `/sms/3/logs?${new URLSearchParams({ messageId: attempt.id })}`;
      const response = await call(context, await newestOf(context), 'GET', path);
      if (!response.connected) throw new Error(`no connection to Infobip: ${response.reason}`);
      if (response.status !== 200) throw new Error(`Infobip answered ${response.status}`);
      const found = logs
        .parse(JSON.parse(response.text))
        .results.find(
          ({ messageId, status }) => messageId === attempt.id && status.id !== duplicateMessageId,
        );
      if (found === undefined) return undefined;
      const receipt = receiptOf(found, context.clock());
      return { carrierMessageId: attempt.id, receipt };
    },
  };
}

function bodyOf(
  { message, body, attempt }: HandOverRequest,
  { from }: InfobipCredentials,
  { clock }: CarrierContext<InfobipCredentials>,
): object {
  const amount = validitySecondsFor(infobipDescriptor, message.expires_at, clock());
  return {
    messages: [
      {
        sender: withoutPlus(fromOf(message) ?? from),
        destinations: [{ to: withoutPlus(message.recipient), messageId: attempt.id }],
        content: { text: body.text },
        options: { validityPeriod: { amount, timeUnit: 'SECONDS' }, ...indiaOf(message.sender) },
      },
    ],
  };
}

/** Infobip expects numbers without a plus. A sender ID has none and stays as it is. */
function withoutPlus(number: string): string {
  return number.replace(/^\+(?=\d+$)/, '');
}

function indiaOf(sender: HandOverRequest['message']['sender']): object {
  if (sender?.entity_id === undefined || sender.template_id === undefined) return {};
  return {
    regional: { indiaDlt: { principalEntityId: sender.entity_id, contentTemplateId: sender.template_id } },
  };
}

function outcomeOf(
  status: z.output<typeof infobipStatus> | undefined,
  { message, attempt }: HandOverRequest,
  { prices }: CarrierContext<InfobipCredentials>,
): HandOver {
  if (status === undefined) throw new Error('Infobip answered without a status');
  const { undeliverable, expired, rejected } = statusGroups;
  const isRefused = [undeliverable, expired, rejected].some((group) => group === status.groupId);
  if (!isRefused || status.id === duplicateMessageId)
    return { outcome: 'accepted', carrierMessageId: attempt.id, ...expectedPrice(prices, message) };
  return { outcome: 'refused', ...reasonOf(status) };
}

/** An error in the recipient or the text is final. Any other error comes from the account or the gateway. */
function refusedRequest(text: string): HandOver {
  const parsed = violations.safeParse(jsonIn(text));
  const fields = parsed.success ? parsed.data.violations.map(({ property }) => property) : [];
  const names = (pattern: RegExp) => fields.some((field) => pattern.test(field));
  if (names(/\bto$/)) return { outcome: 'refused', ...messageError('invalid_recipient') };
  if (names(/\bcontent\b/)) return { outcome: 'refused', ...messageError('content_rejected') };
  const code = names(/\bsender$/) ? 'sender_rejected' : 'carrier_rejected';
  return { outcome: 'refused', ...messageError(code), elsewhere: true };
}

function call(
  { timeLimitMs }: CallContext<InfobipCredentials>,
  { host = commonHost, base_url = `https://${host}`, api_key }: InfobipCredentials,
  method: 'GET' | 'POST',
  path: string,
  body?: object,
) {
  return callVendor({
    url: `${base_url}${path}`,
    method,
    headers: {
      authorization: `App ${api_key}`,
      accept: 'application/json',
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeLimitMs,
  });
}
