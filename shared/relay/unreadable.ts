/** Sets aside stream records that are no messages: none of them holds up the others, and none is lost. */
import { log } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import type { StreamRecord } from './stream.dynamo.ts';

export function unreadableTo(keepCopy: (copy: unknown) => Promise<void>) {
  return async (records: readonly StreamRecord[]): Promise<void> => {
    for (const record of records) {
      await keepCopy(record);
      log.error('stream record unreadable', { event_id: record.eventID });
      countMetric('UnreadableStreamRecord');
    }
  };
}
