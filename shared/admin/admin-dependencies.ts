/** What the admin API and the command line need; composed in `admin-dependencies-on-aws.ts`. */

import type * as z from 'zod/mini';
import type { ActivityLog } from '../activity/activity-log.ts';
import type { ActivityReader } from '../activity/activity-reader.dynamo.ts';
import type { CheckCredentials } from '../carrier/check-carriers.ts';
import type { Outbox } from '../carrier/simulator/outbox.dynamo.ts';
import type { ReceiptSender } from '../carrier/simulator/simulated-carrier.ts';
import type { ClientAdminDependencies } from '../client/client-admin.ts';
import type { StageCarriers } from '../contract/carrier-names.ts';
import type { Caps } from '../contract/limit-rows.ts';
import type { Mode } from '../contract/mode.ts';
import type { AllRows, RowEditor, RowReader } from '../edited-table/row-editor.dynamo.ts';
import type { CapCounter } from '../limit/cap-counter.dynamo.ts';
import type { RateUse } from '../limit/rate-counter.dynamo.ts';
import type { BatchStore } from '../message/send/batch-store.dynamo.ts';
import type { MessageStore } from '../message/store/message-store.ts';
import type { WhatsAppWindows } from '../message/store/whatsapp-window.dynamo.ts';
import type { SuppressionStore } from '../message/suppression/suppression-store.dynamo.ts';
import type { OtpHoldStore } from '../otp/hold/otp-holds.dynamo.ts';
import type { OtpStore } from '../otp/otp-store.dynamo.ts';
import type { Clock } from '../platform/clock.ts';
import type { DueItemReader } from '../recovery/due-item-index.ts';
import type { RefusalReader } from '../refusal/refusals.dynamo.ts';
import type { UsageReader } from '../usage/usage-reader.dynamo.ts';
import type { AttemptReader } from '../usage/webhook-attempts.dynamo.ts';
import type { EndpointReader } from '../webhook/endpoints/endpoint-store.dynamo.ts';
import type { DeliveryLogDependencies } from '../webhook/log/delivery-log.ts';
import type { RequestResendDependencies, ResendDependencies } from '../webhook/log/request-resend.ts';
import type { NotificationDependencies } from '../webhook/notification.ts';
import type { MessageSearch } from './message-search.dynamo.ts';
import type { NewestMessages } from './newest-messages.dynamo.ts';

export interface AdminDependencies extends ClientAdminDependencies {
  /** Whose data lists of all clients have. */
  readonly mode: Mode;
  readonly overrides: RowReader & AllRows & RowEditor;
  readonly senders: RowReader & AllRows & RowEditor;
  /** Requests that are counted in the present windows. */
  readonly rateUse: RateUse;
  readonly refusals: RefusalReader;
  readonly capDefaults: Caps;
  readonly capCounter: Pick<CapCounter, 'read'>;
  readonly activityLog: ActivityLog;
  readonly activity: ActivityReader;
  readonly endpoints: EndpointReader;
  /** The log of a client's webhooks, resending many of them, and test events. */
  readonly webhookLog: DeliveryLogDependencies & RequestResendDependencies & NotificationDependencies;
  readonly deliveries: ResendDependencies['deliveries'];
  /** Webhooks and messages that are not finished. */
  readonly dueItems: DueItemReader;
  readonly resend: Pick<ResendDependencies, 'dueItemIndex' | 'retryScheduler' | 'newRevision'>;
  readonly messages: Pick<MessageStore, 'get' | 'getMany' | 'transition' | 'findByCarrierId'> & MessageSearch;
  readonly newestMessages: NewestMessages;
  readonly batches: Pick<BatchStore, 'get'>;
  readonly otps: Pick<OtpStore, 'get'>;
  readonly otpHolds: Pick<OtpHoldStore, 'find' | 'ofClient' | 'listHeld' | 'allow'>;
  /** The country of numbers that people write without a country code, ISO 3166-1 alpha-2. */
  readonly country: string;
  /** The countries that clients without a list of their own may send to; undefined for all. */
  readonly stageCountries: readonly string[] | undefined;
  readonly usage: UsageReader;
  /** The currency of the stage's prices, ISO 4217. */
  readonly currency: string;
  readonly webhookAttempts: AttemptReader;
  /** Whether the simulator carries live messages, too; it carries all test messages. */
  readonly isSimulated: boolean;
  /** The carriers of the stage, in order of preference. */
  readonly carriers: StageCarriers;
  readonly checkCredentials: CheckCredentials;
  /** What the simulator was given. */
  readonly outbox: Outbox;
  /** Sends the notifications of simulated people to the receipts queue. */
  readonly simulatedInbound: ReceiptSender;
  readonly suppressions: SuppressionStore;
  readonly windows: Pick<WhatsAppWindows, 'openedAt'>;
  /** The webhook URLs that this deployment may call. */
  readonly webhookUrl: z.ZodMiniType<string>;
  readonly retentionDays: number;
  readonly clock: Clock;
  readonly newUuid: () => string;
}
