/** Meta's Cloud API, as its documentation says: WhatsApp, no repeat recognized, statuses signed with the app secret. */
import { createHmac, randomBytes } from 'node:crypto';
import { type Callback, type CallbackVendor, descriptionOf, json } from './vendor.ts';

const credentials = {
  phone_number_id: '106540352242922',
  access_token: 'EAAGmetaToken',
  app_secret: 'meta-app-secret',
  verify_token: 'meta-verify-token',
};

const displayNumber = '15550783881';

const apiError = (status: number, code: number) =>
  json(status, {
    error: { message: '(#0) As documented', type: 'OAuthException', code, fbtrace_id: 'Az8or2yhqkZfEZ' },
  });

function webhook(value: object, name?: string): Callback {
  const change = {
    field: 'messages',
    value: {
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: displayNumber, phone_number_id: credentials.phone_number_id },
      ...value,
    },
  };
  const body = { object: 'whatsapp_business_account', entry: [{ id: '102290129340398', changes: [change] }] };
  return {
    path: 'webhook',
    ...(name === undefined ? {} : { name }),
    contentType: 'application/json',
    text: JSON.stringify(body),
  };
}

const secondsOf = (at: Date): string => String(Math.floor(at.getTime() / 1000));

export const metaVendor: CallbackVendor = {
  name: 'meta',
  channel: 'whatsapp',
  description: descriptionOf('meta'),
  credentials,
  callbackSecret: 'app_secret',
  recognizesRepeats: false,
  refusalCodes: { recipient: 'unreachable', account: 'spend_limit_reached' },
  newId: () => `wamid.${randomBytes(24).toString('base64')}`,
  isAuthorized: ({ headers }) => headers.authorization === `Bearer ${credentials.access_token}`,
  unauthorized: apiError(401, 190),
  askedIn({ method, path, text }) {
    if (method !== 'POST' || !/^\/v\d+\.\d+\/\d+\/messages$/.test(path)) return undefined;
    const message = JSON.parse(text) as {
      readonly to?: string;
      readonly recipient?: string;
      readonly biz_opaque_callback_data: string;
      readonly text?: { readonly body: string };
    };
    const { to: number = '', recipient: to = number.startsWith('+') ? number : `+${number}` } = message;
    return { to, attemptId: message.biz_opaque_callback_data, text: message.text?.body ?? '' };
  },
  accepted: ({ to, vendorId }) =>
    json(200, {
      messaging_product: 'whatsapp',
      contacts: [{ input: to, ...(to.startsWith('+') ? { wa_id: to.slice(1) } : { user_id: to }) }],
      messages: [{ id: vendorId, message_status: 'accepted' }],
    }),
  answer: () => json(200, { id: credentials.phone_number_id, display_phone_number: displayNumber }),
  refusal(why) {
    if (why === 'recipient') return apiError(400, 131_026);
    if (why === 'account') return apiError(400, 131_042);
    return why === 'throttled' ? apiError(400, 130_429) : apiError(500, 131_016);
  },
  throttledForRecipient: apiError(429, 131_056),
  report({ vendorId, attemptId, to, at }, outcome) {
    const status = {
      id: vendorId,
      status: outcome === 'unreachable' ? 'failed' : outcome,
      timestamp: secondsOf(at),
      recipient_id: to.slice(1),
      biz_opaque_callback_data: attemptId,
      ...(outcome === 'unreachable'
        ? { errors: [{ code: 131_026, title: 'Message undeliverable', message: 'Message undeliverable' }] }
        : { pricing: { billable: true, pricing_model: 'PMP', category: 'utility' } }),
    };
    return webhook({ statuses: [status] }, 'statuses');
  },
  received: ({ from, text, id }) =>
    webhook({
      contacts: [{ profile: { name: 'Ann' }, wa_id: from.slice(1) }],
      messages: [
        { from: from.slice(1), id, timestamp: secondsOf(new Date()), type: 'text', text: { body: text } },
      ],
    }),
  sign: ({ text }, _url, secret) => ({
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
  }),
};
