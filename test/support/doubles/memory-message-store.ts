/**
 * Messages in memory; the conformance suite of the table runs on it too. Each change is one step under the table's
 * condition, and is passed to a listener, as by the table's stream.
 */

import { type Message, transitions, undeliveredStatuses } from '../../../shared/message/message.ts';
import { isOwn, parseFilterFields } from '../../../shared/message/store/message-row.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import { fieldsOf, statesEntered, type Transition } from '../../../shared/message/transition.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';

type OnChange = (before: Message | undefined, after: Message) => void;

export interface MemoryMessageStore extends MessageStore {
  /** All messages. */
  all(): Message[];
  /** Writes a row under no condition, as the change from `before`. */
  put(before: Message | undefined, after: Message): Message;
}

export function memoryMessageStore(onChange: OnChange = () => {}): MemoryMessageStore {
  const rows = new Map<string, Message>();
  const byCarrierId = new Map<string, string>();

  function put(before: Message | undefined, after: Message): Message {
    rows.set(after.message_id, after);
    onChange(before, after);
    return after;
  }

  return {
    all: () => [...rows.values()],
    put,

    async create(message) {
      const existing = rows.get(message.message_id);
      if (existing !== undefined)
        return isOwn(message, existing) ? { created: true } : { created: false, existing };
      put(undefined, message);
      return { created: true };
    },

    async createLeg(leg, earlierLegIds) {
      const existing = rows.get(leg.message_id);
      if (existing !== undefined) return isOwn(leg, existing) ? 'created' : 'exists';
      const undelivered: readonly string[] = undeliveredStatuses;
      if (!earlierLegIds.every((id) => undelivered.includes(rows.get(id)?.status ?? '')))
        return 'sequence_ended';
      put(undefined, leg);
      return 'created';
    },

    async createMany(messages) {
      for (const message of messages) if (!rows.has(message.message_id)) put(undefined, message);
    },

    async get(messageId) {
      return rows.get(messageId);
    },

    async getMany(messageIds) {
      return messageIds.flatMap((id) => rows.get(id) ?? []);
    },

    async getFilterFields(messageIds) {
      return messageIds.flatMap((id) => rows.get(id) ?? []).map(parseFilterFields);
    },

    async claim(messageId, { claimId, at, leaseSeconds }) {
      const message = rows.get(messageId);
      if (message === undefined) return { outcome: 'unknown' };
      const now = at.toISOString();
      const over = message.status === 'sending' && (message.handover_until ?? '~') <= now;
      if (message.expires_at > now && (message.status === 'queued' || over)) {
        const after: Message = {
          ...message,
          status: 'sending',
          sending_at: message.sending_at ?? now,
          handover_until: addSeconds(at, leaseSeconds).toISOString(),
          handover_claim: claimId,
          handover_attempts: (message.handover_attempts ?? 0) + 1,
        };
        return { outcome: 'claimed', message: put(message, after) };
      }
      if (message.handover_claim === claimId) return { outcome: 'claimed', message };
      const held = message.status === 'sending' && (message.handover_until ?? '') > now;
      return { outcome: held ? 'held' : 'not_sendable', message };
    },

    async release(messageId, claimId, claimableAt, slot) {
      const message = rows.get(messageId);
      if (message?.status !== 'sending' || message.handover_claim !== claimId) return;
      const waitsFor = slot === undefined ? {} : { slot };
      put(message, { ...message, handover_until: claimableAt.toISOString(), ...waitsFor });
    },

    async transition(messageId, change) {
      const message = rows.get(messageId);
      if (message === undefined || !transitions[change.to].from.includes(message.status)) return undefined;
      if (change.findableByCarrierId && change.carrierMessageId !== undefined)
        byCarrierId.set(change.carrierMessageId, messageId);
      return put(message, entered(message, change));
    },

    async noteHandOver(messageId, noted) {
      const message = rows.get(messageId);
      if (message === undefined) return;
      if (noted.findableByCarrierId && message.carrier_message_id === undefined)
        byCarrierId.set(noted.carrierMessageId, messageId);
      put(message, { ...fieldsOf(noted), sent_at: noted.at.toISOString(), ...message });
    },

    async fillInSent(messageId, at) {
      const message = rows.get(messageId);
      if (message === undefined || message.sent_at !== undefined) return undefined;
      if (message.status !== 'failed' && message.status !== 'expired') return undefined;
      return put(message, { ...message, sent_at: at.toISOString() });
    },

    async noteKeyUse(messageId, use) {
      const message = rows.get(messageId);
      if (message === undefined) return false;
      put(message, { ...message, key_use: use });
      return true;
    },

    async findByCarrierId(carrierMessageId) {
      return byCarrierId.get(carrierMessageId);
    },
  };
}

/** The row after a transition that its state allows: first times and the newest word of the carrier. */
function entered(message: Message, change: Transition): Message {
  const at = change.at.toISOString();
  const times = Object.fromEntries(statesEntered(change).map((state) => [`${state}_at`, at]));
  const after: Message = { ...times, ...message, ...fieldsOf(change), status: change.to };
  if (change.to !== 'delivered' && change.to !== 'read') return after;
  const { error_code: _code, error_message: _message, ...rest } = after;
  return rest;
}
