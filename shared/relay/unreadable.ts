/** Keeps copies of stream records that are not valid messages, so that they neither block the others nor get lost. */

import type { StreamRecord } from '../platform/aws/stream-record.dynamo.ts';
import { log } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';

export async function setUnreadableAside(
  keepCopy: (copy: unknown) => Promise<void>,
  records: readonly StreamRecord[],
): Promise<void> {
  for (const record of records) {
    await keepCopy(record);
    log.error('stream record unreadable', { event_id: record.eventID });
    countMetric('UnreadableStreamRecord');
  }
}
