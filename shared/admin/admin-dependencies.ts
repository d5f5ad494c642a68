/** What the administration of a gateway stands on: the same for the admin API and for the command line. */
import type * as z from 'zod/mini';
import type { ActivityLog, ActivityReader } from '../activity/activity-log.ts';
import type { Outbox } from '../carrier/simulator/outbox.ts';
import type { ClientAdminDependencies } from '../client/client-admin.ts';
import type { MessageStore } from '../message/store/message-store.ts';
import type { Clock } from '../platform/clock.ts';
import type { OverrideEditor, OverrideStore } from '../rate-limit/overrides.ts';
import type { UsageReader } from '../usage/usage.ts';
import type { ResendDependencies } from '../webhook/deliver/resend-webhook.ts';
import type { MessageSearch } from './message-search.ts';

export interface AdminDependencies {
  readonly clients: ClientAdminDependencies;
  readonly overrides: OverrideStore & OverrideEditor;
  readonly activity: ActivityLog & ActivityReader;
  readonly deliveries: ResendDependencies['deliveries'];
  readonly resend: Pick<ResendDependencies, 'dueItemIndex' | 'retryScheduler' | 'newRevision'>;
  readonly messages: Pick<MessageStore, 'get'> & MessageSearch;
  readonly usage: UsageReader;
  /** Only where the simulator is the carrier. */
  readonly outbox: Outbox | undefined;
  /** What this deployment may call. */
  readonly webhookUrl: z.ZodMiniType<string>;
  readonly retentionDays: number;
  readonly clock: Clock;
}
