/**
 * Sets aside work that a service refuses permanently: it is counted for an alarm, gets an entry in the Activity Log, and
 * a copy with its ids goes to the relay's dead-letter queue. The row of its message does not change.
 */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { type ActivityLog, activityLogFrom, notify } from '../activity/write-activity.dynamo.ts';
import type { workSetAside } from '../contract/uses.ts';
import { queueText } from '../platform/aws/queues.sqs.ts';
import type { EnvironmentFor } from '../platform/env.ts';
import { derivedIdAt } from '../platform/ids.ts';
import { log, logWarning } from '../platform/log.ts';
import { withoutUndefined } from '../platform/object-fields.ts';

export interface RefusedWork {
  readonly summary: string;
  readonly clientId: string;
  readonly messageId: string | undefined;
  readonly deliveryId?: string;
  /**
   * The time at which the work arose: it is the same on every retry, so that there is one entry in the Activity Log.
   */
  readonly since: Date;
  readonly error: unknown;
}

export type SetAside = (work: RefusedWork) => Promise<void>;

export function setAsideTo(dependencies: {
  readonly activityLog: ActivityLog;
  readonly keepCopy: (copy: unknown) => Promise<void>;
  readonly warn: (message: string, error: unknown) => void;
  /** Writes an ERROR line. The alarm on dead letters tells of the copy. */
  readonly reportRefused: (fields: Readonly<Record<string, unknown>>) => void;
}): SetAside {
  return async ({ summary, clientId, messageId, deliveryId, since, error }) => {
    const ids = {
      client_id: clientId,
      ...withoutUndefined({ message_id: messageId, delivery_id: deliveryId }),
    };
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    await dependencies.keepCopy({ refused: summary, reason, since: since.toISOString(), ...ids });
    try {
      const id = derivedIdAt('act', since, 'entry_refused', messageId ?? '', deliveryId ?? '', summary);
      await notify(dependencies.activityLog, 'entry_refused', id, {
        at: since.toISOString(),
        summary,
        ...ids,
      });
    } catch (fault) {
      // The copy and the log line remain. No other work waits for an entry that cannot be written.
      dependencies.warn('work that was set aside has no entry in the Activity Log', fault);
    }
    dependencies.reportRefused({ summary, ...ids, error });
  };
}

/** Returns the Activity Log and the dead-letter queue for refused work, from the environment of the function. */
export function setAsideFrom(
  env: EnvironmentFor<typeof workSetAside>,
  sqs: Parameters<typeof sqsDeadLetters>[0],
): SetAside {
  return setAsideTo({
    activityLog: activityLogFrom(env),
    keepCopy: sqsDeadLetters(sqs, env.RELAY_DEAD_LETTER_QUEUE_URL),
    warn: logWarning,
    reportRefused(fields) {
      log.error('refused for good and set aside', fields);
    },
  });
}

/** The message size that every region accepts. Two images of a row can be larger. */
const bytesMax = 262_144;
const shownCharacters = 30_000;

export function sqsDeadLetters(client: SQSClient, queueUrl: string) {
  return async (copy: unknown): Promise<void> => {
    await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: bodyOf(copy) }));
  };
}

function bodyOf(copy: unknown): string {
  const json = queueText(JSON.stringify(copy));
  const bytes = Buffer.byteLength(json);
  if (bytes <= bytesMax) return json;
  return queueText(JSON.stringify({ too_large: bytes, beginning: json.slice(0, shownCharacters) }));
}
