/** A stream without lost records, for tests of everything else. */
import type { LostRecords } from '../../../shared/relay/lost-records.sqs.ts';

export const noLostRecords: LostRecords = {
  arrived: async () => undefined,
  handOn: async () => {
    throw new Error('nothing was read');
  },
};
