/** The context of a hand-over, and its result for the log and the queue. */
import type { MessageErrorCode } from '../../contract/message-error-codes.ts';
import type { Context } from '../../platform/context.ts';
import type { CurrentPaceOf } from '../../sender/current-pace.ts';
import type { Message } from '../message.ts';
import type { ChosenCarrier, HandOverBody } from './carrier.ts';
import type { OutboundUrls } from './outbound-queue.sqs.ts';
import type { WorkerPace } from './sender-pace.dynamo.ts';
import type { OtpLegs } from './start-next-leg.ts';

export interface DispatchContext
  extends Context<
    | 'MESSAGES_TABLE'
    | 'ON_UNKNOWN'
    | 'RETENTION_DAYS'
    | 'SENDER_PACE_TABLE'
    | 'SUPPRESSIONS_TABLE'
    | 'UNKNOWN_DEADLINE_SECONDS'
    | 'WHATSAPP_WINDOWS_TABLE'
    | OutboundUrls
  > {
  /** Returns the carriers, the preferred one first; none if the channel was turned off. */
  readonly carriersFor: (message: Message) => readonly ChosenCarrier[];
  /** Returns the body to hand over; for a one-time password, the text with its code. */
  readonly bodyOf: (message: Message) => Promise<HandOverBody>;
  /** Returns true if an administrator disabled the client. The result may be 45 s old. */
  readonly isDisabled: (clientId: string) => Promise<boolean>;
  readonly pace: WorkerPace;
  readonly currentPaceOf: CurrentPaceOf;
  /** Counts messages towards the caps of a client. @throws GatewayError if a cap has no room for them */
  readonly takeFromCaps: (clientId: string, messages: readonly Message[], now: Date) => Promise<void>;
  readonly otpLegs: OtpLegs;
}

export interface Dispatched {
  readonly outcome:
    | 'sent'
    | 'refused'
    | 'client_disabled'
    | 'suppressed'
    | 'expired'
    | 'queued'
    | 'try_again'
    | 'next_carrier'
    | 'unknown_outcome'
    | 'looked_up'
    | 'held'
    | 'not_yet_due'
    | 'waits_for_pace'
    | 'nothing_to_do'
    | 'not_needed'
    | 'unknown_message'
    | 'leg_not_due'
    | 'leg_started'
    | 'leg_refused'
    | 'leg_exists'
    | 'no_leg_needed';
  readonly message: Message | undefined;
  /** After this time, the queue must deliver the received message again. */
  readonly retryAfterSeconds?: number;
  /** A new queue message with this delay replaces the received one. */
  readonly requeuedForSeconds?: number;
  readonly errorCode?: MessageErrorCode;
}
