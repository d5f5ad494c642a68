/** Notes a change in the activity log: who, what, when, and how it stood before and after; never a secret. */

import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Activity, ActivityKind, ActivityLog } from './activity-log.ts';

export interface ActivityRecorder {
  readonly activity: ActivityLog;
  readonly clock: Clock;
}

interface ActivityNote {
  readonly kind: ActivityKind;
  readonly summary: string;
  readonly clientId: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** Written before the change it tells of, or before a new secret is shown: no change takes hold without its note. */
export async function recordActivity(
  { activity, clock }: ActivityRecorder,
  actor: string,
  { kind, summary, clientId, before, after }: ActivityNote,
): Promise<void> {
  const now = clock();
  const entry: Activity = {
    entry_id: newId('act', now),
    kind,
    at: now.toISOString(),
    summary,
    client_id: clientId,
    actor,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
  await activity.add(entry);
}
