/** What the administration of a gateway stands on: the same for the admin API and for the command line. */
import type * as z from 'zod/mini';
import type { ActivityLog, ActivityReader } from '../activity/activity-log.ts';
import type { Outbox } from '../carrier/outbox.ts';
import type { ClientAdminParts } from '../client/client-admin.ts';
import type { Clock } from '../clock.ts';
import type { FigureReader } from '../figures/figures.ts';
import type { MessageStore } from '../message/message-store.ts';
import type { OverrideEditor, OverrideStore } from '../rate-limit/overrides.ts';
import type { DeliveryReader } from '../webhook/delivery-reader.ts';
import type { ResendPorts } from '../webhook/resend.ts';
import type { MessageSearch } from './message-search.ts';

export interface AdminPorts {
  readonly clients: ClientAdminParts;
  readonly overrides: OverrideStore & OverrideEditor;
  readonly activity: ActivityLog & ActivityReader;
  readonly deliveries: ResendPorts['deliveries'] & DeliveryReader;
  readonly resend: Pick<ResendPorts, 'agenda' | 'wake' | 'newRevision'>;
  readonly messages: Pick<MessageStore, 'get'> & MessageSearch;
  readonly figures: FigureReader;
  /** Only where the simulator is the carrier. */
  readonly outbox: Outbox | undefined;
  /** What this deployment may call. */
  readonly webhookUrl: z.ZodMiniType<string>;
  readonly retentionDays: number;
  readonly clock: Clock;
}
