/** Writes a change to the activity log: who, what, when, and the values before and after; never a secret. */
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { withoutUndefined } from '../platform/object-fields.ts';
import type { ActivityKind } from './activity-kinds.ts';
import type { Activity, ActivityLog } from './activity-log.ts';

export interface ActivityRecorder {
  readonly activityLog: ActivityLog;
  readonly clock: Clock;
}

interface ActivityNote {
  readonly kind: ActivityKind;
  readonly summary: string;
  readonly clientId: string;
  readonly messageId?: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** Called before the change, or before a new secret is returned, so that no change is without its entry. */
export async function recordActivity(
  { activityLog, clock }: ActivityRecorder,
  actor: string,
  { kind, summary, clientId, messageId, before, after }: ActivityNote,
): Promise<void> {
  const now = clock();
  const entry: Activity = {
    entry_id: newId('act', now),
    kind,
    at: now.toISOString(),
    summary,
    client_id: clientId,
    actor,
    ...withoutUndefined({ message_id: messageId, before, after }),
  };
  await activityLog.add(entry);
}
