/** Faults of scheduled messages. */
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

const relay = 'shared/relay/relay.ts';

export const faults: DeliberateFaults = {
  'a schedule that a quota refuses fails the batch of everybody': {
    theme: 'schedules',
    promise: '1.8',
    changes: [
      {
        file: relay,
        replace: "import type { Clock } from '../platform/clock.ts';",
        by: `import { scheduler } from '../platform/aws/clients.ts';
import { eventBridgeSchedules } from '../webhook/delivery-queue.sqs.ts';
import { addSeconds, type Clock } from '../platform/clock.ts';
import { queuedMessageOf } from '../message/dispatch/outbound-queue.sqs.ts';

const arnOf = (url = '') => url.replaceAll('/', ':');
const scheduleOnce = eventBridgeSchedules(scheduler(), {
  groupName: 'gateway',
  roleArn: 'arn:aws:iam::111122223333:role/scheduler',
  queueArns: {
    otp: arnOf(process.env.OTP_OUTBOUND_QUEUE_URL),
    single: arnOf(process.env.OUTBOUND_QUEUE_URL),
    bulk: arnOf(process.env.BULK_OUTBOUND_QUEUE_URL),
  },
});`,
      },
      {
        file: relay,
        replace:
          "dueItemIndex.add('scheduled', timed.filter((each) => !isNear(each, now)).map(timedDueItemOf)),",
        by: `allEnded(timed.filter((each) => !isNear(each, now)).map((each) => {
      const entry = timedEntryOf(each, now);
      const name = each.step === 'next_leg' ? entry.messageId + '-next-leg' : entry.messageId;
      const at = addSeconds(each.dueAt, -60);
      return scheduleOnce({ name, at, queue: entry.kind, message: queuedMessageOf(entry) });
    })),`,
      },
    ],
  },
};
