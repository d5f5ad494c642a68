/** One-shot schedules on EventBridge Scheduler: created once for each name, deleted after they fire. */
import { ConflictException, CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { queueText, scheduleNameOf } from './queue-text.ts';

export interface ScheduleSettings {
  readonly groupName: string;
  /** The role that lets the scheduler send to the queues. */
  readonly roleArn: string;
}

interface OneShotSchedule {
  /** Identifies the schedule's purpose: creating it again succeeds and changes nothing. */
  readonly name: string;
  /** It fires at this time or up to a minute later. */
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
        // Without a message group: the consumer receives it early and waits, or sends it again with one.
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
