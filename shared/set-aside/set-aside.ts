/**
 * Sets aside work that a service refuses permanently: it is counted for an alarm, gets an entry in the Activity Log, and
 * a copy with its ids goes to the relay's dead-letter queue. The row of its message does not change.
 */
import type { ActivityLog } from '../activity/activity-log.ts';
import { isPermanentFault } from '../platform/aws/permanent-fault.ts';
import { derivedIdAt } from '../platform/ids.ts';

export interface RefusedWork {
  /** What was not done, for a person. */
  readonly summary: string;
  readonly clientId: string;
  readonly messageId: string | undefined;
  readonly deliveryId?: string;
  /** When the work arose: the same on every retry, so that there is one entry in the Activity Log. */
  readonly since: Date;
  readonly error: unknown;
}

export type SetAside = (work: RefusedWork) => Promise<void>;

interface SetAsideDependencies {
  readonly activityLog: ActivityLog;
  readonly keepCopy: (copy: unknown) => Promise<void>;
  /** An ERROR line and one count of the metric `RefusedEntry`, which an alarm watches. */
  readonly reportRefused: (fields: Readonly<Record<string, unknown>>) => void;
}

export function setAsideTo(dependencies: SetAsideDependencies): SetAside {
  return async ({ summary, clientId, messageId, deliveryId, since, error }) => {
    const ids = {
      client_id: clientId,
      ...(messageId === undefined ? {} : { message_id: messageId }),
      ...(deliveryId === undefined ? {} : { delivery_id: deliveryId }),
    };
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    await dependencies.keepCopy({ refused: summary, reason, since: since.toISOString(), ...ids });
    try {
      await dependencies.activityLog.add({
        entry_id: derivedIdAt('act', since, 'entry_refused', messageId ?? '', deliveryId ?? '', summary),
        kind: 'entry_refused',
        at: since.toISOString(),
        summary,
        ...ids,
      });
    } catch (fault) {
      // An id that a person made invalid may not be a valid key here either; there are still the copy and the log line.
      if (!isPermanentFault(fault)) throw fault;
    }
    dependencies.reportRefused({ summary, ...ids, error });
  };
}
