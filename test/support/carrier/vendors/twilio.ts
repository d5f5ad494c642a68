/** Twilio, as its documentation says: SMS, no repeat recognized, callbacks to the address that the send names. */
import { createHmac, randomBytes } from 'node:crypto';
import {
  type Callback,
  type CallbackVendor,
  descriptionOf,
  json,
  type Outcome,
  type Taken,
} from './vendor.ts';

const credentials = {
  account_sid: `AC${'0123456789abcdef'.repeat(2)}`,
  auth_token: '12345678901234567890123456789012',
  from: '+15005550006',
};

const account = `/2010-04-01/Accounts/${credentials.account_sid}`;

/** Twilio tells the address from the send; these doubles keep it with what they took. */
const callbackPaths = new Map<string, string>();

const apiError = (status: number, code: number) =>
  json(status, {
    code,
    message: 'As documented',
    more_info: `https://www.twilio.com/docs/errors/${code}`,
    status,
  });

function statusOf(outcome: Outcome): string {
  return outcome === 'unreachable' ? 'undelivered' : outcome;
}

/** In receipts and in the resource of a message. */
const unreachableCode = 30_003;

function messageOf({ vendorId, to, text, at }: Taken, status: string) {
  return {
    sid: vendorId,
    account_sid: credentials.account_sid,
    api_version: '2010-04-01',
    body: text,
    date_created: at.toUTCString().replace('GMT', '+0000'),
    date_sent: at.toUTCString().replace('GMT', '+0000'),
    date_updated: at.toUTCString().replace('GMT', '+0000'),
    direction: 'outbound-api',
    error_code: status === statusOf('unreachable') ? unreachableCode : null,
    error_message: null,
    from: credentials.from,
    num_media: '0',
    num_segments: '1',
    price: null,
    price_unit: 'USD',
    status,
    to,
    uri: `${account}/Messages/${vendorId}.json`,
  };
}

function form(path: string, fields: Readonly<Record<string, string>>): Callback {
  const text = new URLSearchParams(fields).toString();
  return { path, contentType: 'application/x-www-form-urlencoded', text };
}

export const twilioVendor: CallbackVendor = {
  name: 'twilio',
  channel: 'sms',
  description: descriptionOf('twilio'),
  credentials,
  callbackSecret: 'auth_token',
  recognizesRepeats: false,
  refusalCodes: { recipient: 'invalid_recipient', account: 'sender_rejected' },
  newId: () => `SM${randomBytes(16).toString('hex')}`,
  isAuthorized({ headers }) {
    const { account_sid, auth_token } = credentials;
    return (
      headers.authorization === `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString('base64')}`
    );
  },
  unauthorized: apiError(401, 20_003),
  askedIn({ method, path, text }) {
    if (method !== 'POST' || path !== `${account}/Messages.json`) return undefined;
    const fields = new URLSearchParams(text);
    const [, callbackPath = ''] = /\/carriers\/twilio\/(.*)$/.exec(fields.get('StatusCallback') ?? '') ?? [];
    const [attemptId = ''] = /msg_[0-9A-Z]{26}\.\d+/.exec(callbackPath) ?? [];
    callbackPaths.set(attemptId, callbackPath);
    return { to: fields.get('To') ?? '', attemptId, text: fields.get('Body') ?? '' };
  },
  accepted: (taken) => json(201, { ...messageOf(taken, 'queued'), date_sent: null }),
  answer({ path }, taken) {
    if (path === `${account}.json`) return json(200, { sid: credentials.account_sid, status: 'active' });
    const [, sid] = /\/Messages\/(\w+)\.json$/.exec(path) ?? [];
    const found = taken.find(({ vendorId }) => vendorId === sid);
    return found === undefined ? apiError(404, 20_404) : json(200, messageOf(found, statusOf(found.outcome)));
  },
  refusal(why) {
    if (why === 'recipient') return apiError(400, 21_211);
    if (why === 'account') return apiError(400, 21_606);
    return why === 'throttled' ? apiError(429, 20_429) : undefined;
  },
  report({ vendorId, attemptId, to }, outcome) {
    return form(callbackPaths.get(attemptId) ?? '', {
      MessageSid: vendorId,
      SmsSid: vendorId,
      MessageStatus: statusOf(outcome),
      SmsStatus: statusOf(outcome),
      ...(outcome === 'unreachable' ? { ErrorCode: String(unreachableCode) } : {}),
      To: to,
      From: credentials.from,
      AccountSid: credentials.account_sid,
      ApiVersion: '2010-04-01',
    });
  },
  received: ({ from, text, id }) =>
    form('inbound', {
      MessageSid: id,
      SmsSid: id,
      AccountSid: credentials.account_sid,
      From: from,
      To: credentials.from,
      Body: text,
      NumMedia: '0',
      NumSegments: '1',
      ApiVersion: '2010-04-01',
    }),
  sign({ text }, url, secret) {
    const fields = [...new URLSearchParams(text)].sort(([one], [other]) => (one < other ? -1 : 1));
    const signed = fields.reduce((data, [name, value]) => data + name + value, url);
    return { 'x-twilio-signature': createHmac('sha1', secret).update(signed).digest('base64') };
  },
};
