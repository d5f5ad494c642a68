/** Twilio, as its documentation says: SMS, a repeated request is another message, callbacks signed over address and fields. */
import { createHmac, randomBytes } from 'node:crypto';
import { descriptionOf, json, type Taken, type Vendor } from './vendor.ts';

const credentials = {
  account_sid: 'AC0123456789abcdef0123456789abcdef',
  auth_token: 'twilio-auth-token',
  from: '+15005550006',
};

const account = `/2010-04-01/Accounts/${credentials.account_sid}`;
const authorization = Buffer.from(`${credentials.account_sid}:${credentials.auth_token}`).toString('base64');
const receipts = '/carriers/twilio/receipts/';

function messageOf({ vendorId, to, text, at }: Taken, status: string) {
  return {
    sid: vendorId,
    account_sid: credentials.account_sid,
    to,
    from: credentials.from,
    body: text,
    status,
    direction: 'outbound-api',
    num_segments: '1',
    date_created: at.toUTCString(),
    error_code: null,
    price: status === 'delivered' ? '-0.00750' : null,
    price_unit: 'USD',
  };
}

const apiError = (status: number, code: number) =>
  json(status, { code, message: 'As documented', more_info: 'https://www.twilio.com/docs/errors', status });

const form = (fields: Readonly<Record<string, string>>) => ({
  contentType: 'application/x-www-form-urlencoded',
  text: new URLSearchParams({ AccountSid: credentials.account_sid, ...fields }).toString(),
});

export const twilioVendor: Vendor = {
  name: 'twilio',
  channel: 'sms',
  description: descriptionOf('twilio'),
  credentials,
  callbackSecret: 'auth_token',
  recognizesRepeats: false,
  newId: () => `SM${randomBytes(16).toString('hex')}`,
  isAuthorized: ({ headers }) => headers.authorization === `Basic ${authorization}`,
  unauthorized: apiError(401, 20_003),
  askedIn({ method, path, text }) {
    if (method !== 'POST' || path !== `${account}/Messages.json`) return undefined;
    const fields = new URLSearchParams(text);
    const callback = new URL(fields.get('StatusCallback') ?? '');
    return {
      to: fields.get('To') ?? '',
      attemptId: callback.pathname.slice(receipts.length),
      text: fields.get('Body') ?? '',
    };
  },
  accepted: (taken) => json(201, messageOf(taken, 'queued')),
  answer({ path }, taken) {
    if (path === `${account}.json`) return json(200, { sid: credentials.account_sid, status: 'active' });
    const to = new URLSearchParams(path.split('?')[1]).get('To');
    const found = taken.filter((one) => one.to === to);
    return json(200, { messages: found.map((one) => messageOf(one, 'delivered')), page: 0, page_size: 50 });
  },
  refusal(why) {
    if (why === 'recipient') return apiError(400, 21_211);
    if (why === 'account') return apiError(400, 21_606);
    // Twilio does not document that a message was not taken where it has a fault of its own.
    return why === 'throttled' ? apiError(429, 20_429) : undefined;
  },
  report({ attemptId, vendorId, to }, outcome) {
    const status = outcome === 'unreachable' ? 'undelivered' : outcome;
    return {
      path: `receipts/${attemptId}`,
      ...form({
        MessageSid: vendorId,
        SmsSid: vendorId,
        MessageStatus: status,
        SmsStatus: status,
        To: to,
        From: credentials.from,
        ...(outcome === 'unreachable' ? { ErrorCode: '30003' } : {}),
      }),
    };
  },
  received: ({ from, text, id }) => ({
    path: 'inbound',
    ...form({ MessageSid: id, SmsSid: id, From: from, To: credentials.from, Body: text, NumMedia: '0' }),
  }),
  sign({ text }, url, secret) {
    const fields = [...new URLSearchParams(text)].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return {
      'x-twilio-signature': createHmac('sha1', secret)
        .update(url + fields.flat().join(''))
        .digest('base64'),
    };
  },
};
