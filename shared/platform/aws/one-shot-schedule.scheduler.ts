/** One-shot schedules on EventBridge Scheduler: created once for each name, deleted after they fire. */
import { ConflictException, CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import { queueText, scheduleNameOf } from './queues.sqs.ts';

interface ScheduleSettings<Queue extends string> {
  readonly groupName: string;
  /** The role that lets the scheduler send to the queues. */
  readonly roleArn: string;
  readonly queueArns: Readonly<Record<Queue, string>>;
}

interface OneShotSchedule<Queue extends string> {
  /** Identifies the schedule's purpose: creating it again succeeds and changes nothing. */
  readonly name: string;
  /** It fires at this time or up to a minute later. */
  readonly at: Date;
  readonly queue: Queue;
  readonly message: unknown;
}

/** Sends the message to the queue once, at its time. */
export type ScheduleOnce<Queue extends string> = (schedule: OneShotSchedule<Queue>) => Promise<void>;

export function eventBridgeSchedules<Queue extends string>(
  client: SchedulerClient,
  { groupName, roleArn, queueArns }: ScheduleSettings<Queue>,
): ScheduleOnce<Queue> {
  return async ({ name, at, queue, message }) => {
    try {
      await client.send(
        new CreateScheduleCommand({
          Name: scheduleNameOf(name),
          GroupName: groupName,
          ScheduleExpression: `at(${at.toISOString().slice(0, 19)})`,
          ScheduleExpressionTimezone: 'UTC',
          FlexibleTimeWindow: { Mode: 'OFF' },
          ActionAfterCompletion: 'DELETE',
          // Without a message group: the consumer receives it early and waits, or sends it again with one.
          Target: { Arn: queueArns[queue], RoleArn: roleArn, Input: queueText(JSON.stringify(message)) },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
    }
  };
}
