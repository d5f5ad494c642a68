/** The two services that hand messages to people, what they publish about each, and the list of those who opted out. */
import type { Call, NotedCall } from '../aws/requests.ts';
import { ServiceError } from '../aws/service-error.ts';
import type { Faults } from '../faults.ts';
import type { VirtualTime } from '../virtual-time.ts';
import type { OutsideRecord, Published } from './record.ts';
import {
  behaviourOf,
  crossEarlier,
  type Given,
  isOnlyAskedAbout,
  type PendingReports,
  reportAll,
  reportedLateMs,
  toldTime,
} from './reports.ts';
import { whatsAppEvent } from './whatsapp-events.ts';

interface CarrierSettings {
  readonly time: VirtualTime;
  readonly faults: Faults;
  readonly record: OutsideRecord;
  readonly pending: PendingReports;
  /** True if they throttle the messages to some numbers. */
  readonly throttles: boolean;
  /** True if there is a second carrier for SMS, which is used if the SMS service refuses for its own reasons. */
  readonly isFirstOfSeveral: boolean;
  /** Publishes to the topic of the receipts. */
  readonly publish: (event: object, againAfterMs?: number, lateMs?: number) => void;
}

type Status = Published['status'];

/** Longer than it takes until the next leg of a fallback is due. */
const throttledMs = 240_000;

const smsTypes: Readonly<Record<Status, string>> = {
  sent: 'TEXT_SENT',
  delivered: 'TEXT_DELIVERED',
  read: 'TEXT_DELIVERED',
  failed: 'TEXT_UNREACHABLE',
  expired: 'TEXT_TTL_EXPIRED',
};

export type Carriers = ReturnType<typeof simulatedCarriers>;

/** In US dollars. */
const price = { totalMessagePrice: 0.004, totalCarrierFee: 0.0003 };

export function simulatedCarriers(settings: CarrierSettings) {
  const { time, faults, record, throttles, isFirstOfSeveral, publish } = settings;
  const optedOut = new Map<string, number>();
  const throttled = new Map<string, number>();
  const throttledSince = new Map<string, number>();

  function report({ messageId, attemptId, to }: Given, carrierMessageId: string, status: Status): void {
    const atMs = time.now();
    const isSms = carrierMessageId.startsWith('sms-');
    record.published.push({
      ...{ atMs, carrier: 'aws', messageId, attemptId, status },
      price: isSms ? price.totalMessagePrice + price.totalCarrierFee : undefined,
    });
    publish(
      isSms
        ? smsEvent({ message_id: messageId, attempt_id: attemptId }, carrierMessageId, status, to, atMs)
        : whatsAppEvent(attemptId, carrierMessageId, status, to, atMs),
      undefined,
      reportedLateMs(to),
    );
  }

  /** Returns the carrier's error for a message to this number. Undefined if it accepts the message. */
  function refusalOf(number: string, channel: 'sms' | 'whatsapp'): ServiceError | undefined {
    const behaviour = behaviourOf(number);
    if (channel === 'sms' && optedOut.has(number)) {
      return new ServiceError('ConflictException', 'opted out', {
        Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT',
      });
    }
    if (behaviour === 'refused') {
      return channel === 'sms'
        ? new ServiceError('ValidationException', 'refused', { Reason: 'DESTINATION_COUNTRY_BLOCKED' })
        : new ServiceError('InvalidParametersException', 'refused');
    }
    if (channel === 'sms' && isFirstOfSeveral) {
      const drawn = isOnlyAskedAbout(number) ? 0 : faults.random(`${number} at the SMS service`)();
      if (drawn < 0.25) return new ServiceError('ServiceQuotaExceededException', 'its own spend limit');
      const isTaken = (throttled.get(number) ?? 0) % 3 === 2;
      if (drawn < 0.4) throttled.set(number, (throttled.get(number) ?? 0) + 1);
      if (drawn < 0.4 && !isTaken) return new ServiceError('ExpiredTokenException', 'not taken');
    }
    const slowDown = new ServiceError('ThrottlingException', 'slow down');
    if (!throttles) return undefined;
    if (behaviour === 'throttled at first') {
      const count = (throttled.get(number) ?? 0) + 1;
      throttled.set(number, count);
      return count % 3 === 0 ? undefined : slowDown;
    }
    if (behaviour !== 'throttled for minutes' || channel === 'whatsapp') return undefined;
    const since = throttledSince.get(number) ?? time.now();
    throttledSince.set(number, since);
    return time.now() - since < throttledMs ? slowDown : undefined;
  }

  function take(channel: 'sms' | 'whatsapp', given: Given, call: NotedCall): string {
    crossEarlier(settings, given);
    const refusal = refusalOf(given.to, channel);
    const count = record.handOvers.length + 1;
    const carrierMessageId =
      refusal === undefined ? `${channel === 'sms' ? 'sms-' : 'wamid.'}${count}` : undefined;
    record.handOvers.push({
      ...given,
      atMs: time.now(),
      channel,
      carrier: 'aws',
      carrierMessageId,
      refusedWith: refusal?.code,
      call,
    });
    if (refusal !== undefined || carrierMessageId === undefined) throw refusal;
    reportAll(settings, given, carrierMessageId, (status) => report(given, carrierMessageId, status));
    return carrierMessageId;
  }

  return {
    optedOut: optedOut as ReadonlyMap<string, number>,
    /** A person's own word, which the carrier hears too. */
    optOut(number: string): void {
      optedOut.set(number, time.now());
    },
    optIn: (number: string) => optedOut.delete(number),

    sms({ operation, input }: Call, call: NotedCall): object {
      switch (operation) {
        case 'SendTextMessage': {
          const { DestinationPhoneNumber, OriginationIdentity, MessageBody, Context } = input as Record<
            string,
            string
          >;
          const messageId = String(Reflect.get(Object(Context), 'message_id'));
          const attemptId = String(Reflect.get(Object(Context), 'attempt_id'));
          const [to, from, text] = [
            String(DestinationPhoneNumber),
            String(OriginationIdentity),
            String(MessageBody),
          ];
          return { MessageId: take('sms', { messageId, attemptId, to, from, text }, call) };
        }
        default:
          throw new Error(`the simulation has no ${operation} of the SMS service`);
      }
    },

    whatsApp({ input }: Call, call: NotedCall): object {
      const message = JSON.parse(Buffer.from(String(input.message), 'base64').toString('utf8'));
      const attemptId = String(message.biz_opaque_callback_data);
      const to = `+${String(message.to).replace(/^\+/, '')}`;
      const given = {
        messageId: attemptId.replace(/\.\d+$/, ''),
        attemptId,
        to,
        from: String(input.originationPhoneNumberId),
        text: String(message.text?.body ?? message.type),
      };
      return { messageId: take('whatsapp', given, call) };
    },
  };
}

function smsEvent(context: object, carrierId: string, status: Status, number: string, atMs: number): object {
  return {
    eventType: smsTypes[status],
    eventVersion: '1.0',
    eventTimestamp: toldTime(number, atMs),
    isFinal: status !== 'sent',
    destinationPhoneNumber: number,
    messageId: carrierId,
    context,
    ...price,
  };
}
