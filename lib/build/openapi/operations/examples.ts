/** Values that several examples share. */
import type { Message } from '../../../../shared/message/message.ts';
import type { Example } from '../description.ts';

export const example = (summary: string, value: unknown): Example => ({ summary, value });

export const messageId = 'msg_01KC9V7Q8Z4N6M2R5T8W1Y3X0A';
export const batchId = 'bat_01KC9V7QD3B5C7D9F1G3H5J7K9';
export const otpId = 'otp_01KC9V7QMNPQRSTVWXYZ012345';
export const endpointId = 'whe_01KC9V7R2N8P4Q6R8S0T2V4W6X';
export const deliveryId = 'whd_3V6Q9R8GKYQRTWJ0PD81CPZ102';
export const clientId = 'client_0a1b2c3d4e5f6g7h';
export const recipient = '+447700900123';
export const createdAt = '2026-11-20T10:00:00.000Z';

export const webhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw0dQ3kZ1lYxs=';
/** The times of a secret that was issued at `createdAt`. */
export const rotation = {
  created_at: createdAt,
  active_at: '2026-11-20T10:01:00.000Z',
  previous_secret_expires_at: '2026-11-21T10:01:00.000Z',
} as const;

/** The request of the operations that rotate a secret. */
export const secretRotation = {
  schema: 'SecretRotation',
  optional: true,
  examples: {
    usual: example('The usual overlap', {}),
    leaked: example('After a leak', { overlap_hours: 0 }),
  },
} as const;

/** A stored message, from which the gateway's own functions create the examples of responses and events. */
const row = {
  message_id: messageId,
  client_id: clientId,
  recipient,
  type: 'transactional',
  created_at: createdAt,
  expires_at: '2026-11-23T10:00:00.000Z',
} as const;

const smsRow = {
  ...row,
  channel: 'sms',
  from: 'ACME',
  reference: 'order-42',
  encoding: 'GSM-7',
  segments: 1,
} as const;

export const queuedSms: Message = { ...smsRow, status: 'queued', queued_at: createdAt };
export const queuedWhatsApp: Message = {
  ...row,
  channel: 'whatsapp',
  status: 'queued',
  queued_at: createdAt,
};

const delivered = {
  reference: 'order-42',
  status: 'delivered',
  currency: 'USD',
  sent_at: '2026-11-20T10:00:01.480Z',
  delivered_at: '2026-11-20T10:00:03.120Z',
} as const;
export const deliveredSms: Message = { ...queuedSms, ...delivered, cost: 0.0042 };
export const deliveredWhatsApp: Message = { ...queuedWhatsApp, ...delivered, cost: 0.005 };

export const canceledSms: Message = {
  ...smsRow,
  status: 'canceled',
  scheduled_at: '2026-11-21T08:00:00.000Z',
  canceled_at: '2026-11-20T10:30:00.000Z',
  expires_at: '2026-11-24T08:00:00.000Z',
};

/** A reply of the recipient to `deliveredSms`. */
export const receivedSms: Message = {
  ...row,
  message_id: 'msg_01KC9V7Q8Z4N6M2R5T8W1Y3X0B',
  channel: 'sms',
  direction: 'inbound',
  status: 'received',
  from: '+447418367358',
  text: 'Is my order ready?',
  received_at: '2026-11-20T10:00:03.120Z',
  in_reply_to: messageId,
};

/** The response to `?dry_run=true`. */
export const acceptedDryRun = {
  dry_run: true,
  would_be_accepted: true,
  channel: 'sms',
  recipient,
  from: 'ACME',
  encoding: 'GSM-7',
  segments: 1,
  estimated_cost: 0.0042,
  currency: 'USD',
  refusals: [],
  unknown_fields: [],
} as const;
