/** Infobip, as its documentation says: SMS, a repeated `messageId` refused as a duplicate, reports signed by the subscription. */
import { createHmac, randomUUID } from 'node:crypto';
import { type CallbackVendor, descriptionOf, json, type Outcome, type Taken } from './vendor.ts';

const credentials = {
  api_key: 'infobip-key',
  from: '+385911234567',
  webhook_secret: 'infobip-webhook-secret',
};

const statuses = {
  accepted: { groupId: 1, groupName: 'PENDING', id: 26, name: 'PENDING_ACCEPTED', description: 'Accepted' },
  duplicate: {
    groupId: 5,
    groupName: 'REJECTED',
    id: 23,
    name: 'REJECTED_DUPLICATE_MESSAGE_ID',
    description: 'Duplicate message id',
  },
  sent: {
    groupId: 3,
    groupName: 'DELIVERED',
    id: 2,
    name: 'DELIVERED_TO_OPERATOR',
    description: 'Delivered to the operator',
  },
  delivered: {
    groupId: 3,
    groupName: 'DELIVERED',
    id: 5,
    name: 'DELIVERED_TO_HANDSET',
    description: 'Delivered to the handset',
  },
  unreachable: {
    groupId: 2,
    groupName: 'UNDELIVERABLE',
    id: 9,
    name: 'UNDELIVERABLE_NOT_DELIVERED',
    description: 'Not delivered',
  },
};

const errors = {
  none: { groupId: 0, groupName: 'OK', id: 0, name: 'NO_ERROR', description: 'No error', permanent: false },
  absent: {
    groupId: 1,
    groupName: 'HANDSET_ERRORS',
    id: 27,
    name: 'EC_ABSENT_SUBSCRIBER',
    description: 'Absent subscriber',
    permanent: false,
  },
};

function errorOf(outcome: Outcome): object {
  return outcome === 'unreachable' ? errors.absent : errors.none;
}

interface SendRequest {
  readonly messages: readonly {
    readonly destinations: readonly { readonly to: string; readonly messageId: string }[];
    readonly content: { readonly text: string };
  }[];
}

/** The form of Infobip's times. */
function timeOf(at: Date): string {
  return at.toISOString().replace('Z', '+0000');
}

function entryOf({ attemptId, to, at, price }: Taken, status: object, error: object) {
  return {
    bulkId: '2034072219640523072',
    messageId: attemptId,
    to: to.slice(1),
    sender: credentials.from.slice(1),
    sentAt: timeOf(at),
    doneAt: timeOf(at),
    messageCount: 1,
    mccMnc: '23410',
    price: { pricePerMessage: price, currency: 'EUR' },
    status,
    error,
  };
}

const rejected = (id: number, name: string) =>
  json(200, {
    messages: [{ messageId: 'refused', status: { groupId: 5, groupName: 'REJECTED', id, name } }],
  });

const apiError = (status: number) =>
  json(status, { errorCode: `E${status}`, description: 'As documented', violations: [], resources: [] });

export const infobipVendor: CallbackVendor = {
  name: 'infobip',
  channel: 'sms',
  description: descriptionOf('infobip'),
  credentials,
  callbackSecret: 'webhook_secret',
  recognizesRepeats: true,
  reportsPricesIn: 'EUR',
  refusalCodes: { recipient: 'invalid_recipient', account: 'spend_limit_reached' },
  newId: randomUUID,
  isAuthorized: ({ headers }) => headers.authorization === `App ${credentials.api_key}`,
  unauthorized: apiError(401),
  askedIn({ method, path, text }) {
    if (method !== 'POST' || path !== '/sms/3/messages') return undefined;
    const [message] = (JSON.parse(text) as SendRequest).messages;
    const [destination] = message?.destinations ?? [];
    if (message === undefined || destination === undefined) return undefined;
    return { to: `+${destination.to}`, attemptId: destination.messageId, text: message.content.text };
  },
  accepted({ attemptId, to }, isRepeat) {
    const status = isRepeat ? statuses.duplicate : statuses.accepted;
    const message = { messageId: attemptId, status, destination: to.slice(1), details: { messageCount: 1 } };
    return json(200, { bulkId: '2034072219640523072', messages: [message] });
  },
  answer({ path }, taken) {
    if (path === '/account/1/balance') return json(200, { balance: 47.5, currency: 'EUR' });
    const wanted = new URLSearchParams(path.split('?')[1]).get('messageId');
    const found = taken.filter(({ attemptId }) => attemptId === wanted);
    return json(200, {
      results: found.map((one) => entryOf(one, statuses[one.outcome], errorOf(one.outcome))),
    });
  },
  refusal(why) {
    if (why === 'recipient') return rejected(52, 'REJECTED_DESTINATION');
    if (why === 'account') return rejected(12, 'REJECTED_NOT_ENOUGH_CREDITS');
    // Nothing that Infobip documents for a fault of its own says that the message was not taken.
    return why === 'throttled' ? apiError(429) : undefined;
  },
  report(taken, outcome) {
    const text = JSON.stringify({ results: [entryOf(taken, statuses[outcome], errorOf(outcome))] });
    return { path: 'reports', name: 'reports', contentType: 'application/json', text };
  },
  received({ from, text, id }) {
    const message = {
      messageId: id,
      from: from.slice(1),
      to: credentials.from.slice(1),
      text,
      cleanText: text,
      keyword: '',
      receivedAt: timeOf(new Date()),
      smsCount: 1,
      price: { pricePerMessage: 0, currency: 'EUR' },
    };
    const body = JSON.stringify({ results: [message], messageCount: 1, pendingMessageCount: 0 });
    return { path: 'inbound', name: 'received', contentType: 'application/json', text: body };
  },
  sign: ({ text }, _url, secret) => ({
    'x-hub-signature': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
  }),
};
