/** Messages as the table has them, for tests. */

import { countryOf } from '../../../shared/contract/phone-number.ts';
import { usualOnUnknown, usualUnknownDeadlines } from '../../../shared/contract/variables.ts';
import {
  attemptIdOf,
  type ChosenCarrier,
  type HandOverBody,
  type HandOverRequest,
} from '../../../shared/message/dispatch/carrier.ts';
import type { AttemptRules } from '../../../shared/message/dispatch/next-step.ts';
import type { Message } from '../../../shared/message/message.ts';

export const created = new Date('2026-11-20T10:00:00.000Z');

export function aMessage(more: Partial<Message> = {}): Message {
  return {
    message_id: 'msg_01KAG00000000000000000000A',
    client_id: 'client-a',
    channel: 'sms',
    status: 'queued',
    recipient: '+447700900123',
    type: 'transactional',
    webhook_url: 'https://endpoint.example.com/hook',
    created_at: created.toISOString(),
    queued_at: created.toISOString(),
    expires_at: '2026-11-23T10:00:00.000Z',
    ...more,
  };
}

/** Just sent to the carrier: leads to exactly one event. */
export function aSentMessage(more: Partial<Message> = {}): Message {
  return aMessage({ status: 'sent', sent_at: '2026-11-20T10:00:00.500Z', ...more });
}

export const handedOverAt = new Date('2026-11-20T10:00:00.250Z');

/** As the carrier gets it. */
export function aSendingMessage(more: Partial<Message> = {}): Message {
  const message = aMessage({ status: 'sending', text: 'Hello', segments: 1, ...more });
  const country = countryOf(message.recipient);
  return country === undefined ? message : { country, ...message };
}

/** Returns the hand-over of an attempt to a carrier. */
export function handOverOf(
  message: Message,
  body: HandOverBody,
  number = 1,
  at = handedOverAt,
): HandOverRequest {
  return { message, body, attempt: { id: attemptIdOf(message.message_id, number), number, at } };
}

/** The only carrier of a stage, which recognizes a repeated attempt unless the test says otherwise. */
export function onlyCarrier(
  carrier: Pick<ChosenCarrier, 'handOver'> & Partial<ChosenCarrier>,
): () => readonly ChosenCarrier[] {
  const chosen: ChosenCarrier = {
    name: 'simulator',
    settledBy: 'repeat',
    ...carrier,
  };
  return () => [chosen];
}

/** The defaults of a stage. */
export const attemptRules: AttemptRules = {
  onUnknown: usualOnUnknown,
  deadlineSeconds: usualUnknownDeadlines,
};
