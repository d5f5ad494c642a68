/** Promises that rest on AWS: schedules, tables as declared, alarms, cold starts, and queues that clients share. */
import type { StagePromise } from './promise.ts';
import { type VerifiedStage, type Visitor, waitFor } from './verified-stage.ts';

/** A one-shot schedule fires within its minute, for which the gateway sets it early. */
const scheduleLateSeconds = 60;
/** The policy of a new queue, which permits the schedule to send to it, is in force after up to a minute. */
const scheduleAheadSeconds = 75;

const coldStartMsMax = 3000;
const coldStartsAtOnce = 20;

/** Metrics of SQS come every minute, and those of a queue that was idle up to a quarter of an hour later. */
const alarmWithinSeconds = 1200;

/**
 * The busy client's messages: so many that the other client has to share the workers, and so few that their estimated
 * cost is below the cap of `production`.
 */
const busyBulks = 2;
const busyBulkSize = 1000;
const otherSize = 10;
const bulkWithinSeconds = 600;

const onThisMachine = { notApplicable: 'the stage is on this machine' } as const;

export const awsPromises: readonly StagePromise[] = [
  {
    title: 'A one-shot schedule fires at its time',
    threshold: `never early, at most ${scheduleLateSeconds} s late`,
    remedy: 'Compare scheduleLeadSeconds, by which schedules are set early, with what was measured.',
    async measure({ aws, now }) {
      // Schedules have whole seconds.
      const at = new Date(Math.ceil(now().getTime() / 1000 + scheduleAheadSeconds) * 1000);
      const fired = await aws.fireSchedule(at, scheduleAheadSeconds + 2 * scheduleLateSeconds);
      if (fired === undefined) return { measured: 'it did not fire', holds: false };
      const late = (fired.getTime() - at.getTime()) / 1000;
      return {
        measured: late < 0 ? `${(-late).toFixed(1)} s early` : `${late.toFixed(1)} s late`,
        holds: late >= 0 && late <= scheduleLateSeconds,
      };
    },
  },
  {
    title: 'Every table has its time to live, its recovery and its stream',
    threshold: 'as declared',
    remedy: '`npm run admin -- --stage NAME doctor` has the command that turns on each.',
    async measure({ aws, isLocal }) {
      // The emulator's CloudFormation turns on neither deletion nor recovery.
      if (isLocal) return onThisMachine;
      const faults = await aws.tableFaults();
      return { measured: faults.join('; ') || 'all as declared', holds: faults.length === 0 };
    },
  },
  {
    title: 'An alarm goes on, and off again',
    threshold: `each within ${alarmWithinSeconds / 60} minutes`,
    remedy: 'Look at the alarm in CloudWatch: its metric, its history, and whether it has an action.',
    async measure(stage) {
      if (stage.isLocal) return onThisMachine;
      const alarm = await stage.aws.idleAlarm();
      if (alarm === undefined)
        return { notApplicable: 'the stage has no alarm whose dead-letter queue is empty' };
      const reached = async (state: string): Promise<number | undefined> => {
        const begun = stage.now().getTime();
        const is = await waitFor(
          stage,
          alarmWithinSeconds,
          async () => (await alarm.state()) === state || undefined,
        );
        return is === undefined ? undefined : Math.round((stage.now().getTime() - begun) / 1000);
      };
      try {
        await alarm.raise();
        const on = await reached('ALARM');
        if (on === undefined) return { measured: `${alarm.name} never went on`, holds: false };
        await alarm.lower();
        const off = await reached('OK');
        return {
          measured: `${alarm.name}: on after ${on} s, ${off === undefined ? 'never off' : `off after ${off} s`}`,
          holds: off !== undefined,
        };
      } finally {
        await alarm.lower();
      }
    },
  },
  {
    title: 'A function that starts cold answers in time',
    threshold: `the slowest of ${coldStartsAtOnce} requests at once within ${coldStartMsMax} ms`,
    remedy: 'Give the function more memory, or provisioned concurrency, in lib/capabilities/api.',
    async measure(stage) {
      if (stage.isLocal) return onThisMachine;
      const visitor = await stage.newVisitor('checks');
      const answers = await Promise.all(
        Array.from({ length: coldStartsAtOnce }, () => visitor.call('GET', '/api/v1/account')),
      );
      const slowest = Math.max(...answers.map(({ tookMs }) => tookMs));
      const failed = answers.filter(({ status }) => status !== 200).length;
      return {
        measured: `${Math.round(slowest)} ms${failed === 0 ? '' : `, ${failed} failed`}`,
        holds: slowest <= coldStartMsMax && failed === 0,
      };
    },
  },
  {
    title: 'A client with few messages does not wait for one with many',
    threshold: `${otherSize} messages are sent in half the time of ${busyBulks * busyBulkSize} that were there before`,
    remedy: 'docs/cost-and-scale.md, Fair queues: keep concurrency.bulkSends at 4 or more.',
    async measure(stage) {
      if (stage.isLocal) return onThisMachine;
      const [busy, other] = await Promise.all([stage.newVisitor('checks'), stage.newVisitor('limits')]);
      const begun = stage.now().getTime();
      const busyBatches = await Promise.all(
        Array.from({ length: busyBulks }, () => bulk(busy, busyBulkSize)),
      );
      const otherBatch = await bulk(other, otherSize);
      const [otherSeconds, ...busySeconds] = await Promise.all([
        sentAfter(stage, other, otherBatch, begun),
        ...busyBatches.map((batch) => sentAfter(stage, busy, batch, begun)),
      ]);
      const slowest = Math.max(...busySeconds.map((each) => each ?? Number.POSITIVE_INFINITY));
      if (otherSeconds === undefined || !Number.isFinite(slowest))
        return { measured: `not all were sent within ${bulkWithinSeconds} s`, holds: false };
      return {
        measured: `${otherSeconds.toFixed(1)} s and ${slowest.toFixed(1)} s`,
        holds: otherSeconds <= slowest / 2,
      };
    },
  },
];

async function bulk(visitor: Visitor, size: number): Promise<string> {
  const recipients = Array.from(
    { length: size },
    (_recipient, index) => `+4477009${String(index).padStart(5, '0')}`,
  );
  const { status, body } = await visitor.call('POST', '/api/v1/sms/bulk', {
    body: { message: 'Verify', recipients },
  });
  if (typeof body.batch_id !== 'string') throw new Error(`no batch: ${status} ${String(body.message)}`);
  return body.batch_id;
}

/** The seconds after which no message of a batch waits any more. */
async function sentAfter(
  stage: VerifiedStage,
  visitor: Visitor,
  batch: string,
  begun: number,
): Promise<number | undefined> {
  return waitFor(stage, bulkWithinSeconds, async () => {
    const { body } = await visitor.call('GET', `/api/v1/sms/status/${batch}`);
    const { queued = 0, sending = 0 } = (body.counts ?? {}) as Readonly<Record<string, number>>;
    return body.counts === undefined || queued + sending > 0
      ? undefined
      : (stage.now().getTime() - begun) / 1000;
  });
}
