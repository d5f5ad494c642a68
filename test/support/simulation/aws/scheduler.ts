/** EventBridge Scheduler: one-shot schedules that send to a queue within a minute after their time, at least once. */
import type { Faults } from '../faults.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { ServiceError } from './service-error.ts';
import type { Sqs } from './sqs.ts';

interface SchedulerSettings {
  readonly sqs: Sqs;
  readonly time: VirtualTime;
  readonly faults: Faults;
  /** The quota of creations. */
  readonly perSecond: number;
}

interface CreateSchedule {
  readonly Name: string;
  readonly ScheduleExpression: string;
  readonly Target: { readonly Arn: string; readonly Input: string };
}

/** How long a schedule that has fired may still be there. */
const deletedAfterMs = 60_000;

export function simulatedScheduler({ sqs, time, faults, perSecond }: SchedulerSettings) {
  const names = new Set<string>();
  let pending = 0;
  let second = 0;
  let created = 0;

  return {
    create({ Name, ScheduleExpression, Target }: CreateSchedule): object {
      const now = Math.floor(time.now() / 1000);
      if (now !== second) [second, created] = [now, 0];
      created += 1;
      if (created > perSecond)
        throw new ServiceError('ThrottlingException', 'Rate exceeded', { status: 429 });
      if (!/^[0-9a-zA-Z-_.]{1,64}$/.test(Name))
        throw new ServiceError('ValidationException', 'the name is not valid');
      if (names.has(Name))
        throw new ServiceError('ConflictException', 'the schedule exists', { status: 409 });
      const dueAt = Date.parse(`${/^at\((.*)\)$/.exec(ScheduleExpression)?.[1] ?? ''}Z`);
      if (Number.isNaN(dueAt)) throw new ServiceError('ValidationException', 'the expression is not valid');
      names.add(Name);
      const { fault, point } = faults.decide('schedule', { 'arrives twice': 0.01 }, time.now());
      const fire = (name: string): void => {
        pending += 1;
        const at = Math.max(time.now(), dueAt) + faults.durationMs(`${point} ${name}`, 0, 59_000);
        time.at(at, () => {
          pending -= 1;
          sqs.put(Target.Arn.split(':').at(-1) ?? '', Target.Input);
          time.at(time.now() + faults.durationMs(`${point} deletion`, 100, deletedAfterMs), () =>
            names.delete(Name),
          );
        });
      };
      fire('once');
      if (fault === 'arrives twice') fire('again');
      return { ScheduleArn: `arn:aws:scheduler:eu-west-1:111122223333:schedule/gateway/${Name}` };
    },

    isBusy: () => pending > 0,
  };
}
