/** One-shot schedules on EventBridge Scheduler: made once for their name, and gone after they fired. */
import { ConflictException, CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { queueText, scheduleNameOf } from './queue-text.ts';

export interface ScheduleSettings {
  readonly groupName: string;
  /** The role by which the scheduler may send to the queues. */
  readonly roleArn: string;
}

interface OneShotSchedule {
  /** The same for the same purpose: a repeat finds the schedule there, which is success. */
  readonly name: string;
  /** Fires some time after it, within the scheduler's minute. */
  readonly at: Date;
  readonly queueArn: string;
  readonly message: unknown;
}

export async function createOneShotSchedule(
  client: SchedulerClient,
  settings: ScheduleSettings,
  schedule: OneShotSchedule,
): Promise<void> {
  try {
    await client.send(
      new CreateScheduleCommand({
        Name: scheduleNameOf(schedule.name),
        GroupName: settings.groupName,
        ScheduleExpression: `at(${schedule.at.toISOString().slice(0, 19)})`,
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        // No message group: it comes early and waits, or is sent on with one.
        Target: {
          Arn: schedule.queueArn,
          RoleArn: settings.roleArn,
          Input: queueText(JSON.stringify(schedule.message)),
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
  }
}
