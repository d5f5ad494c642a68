/** One-shot schedules for the long legs: named by delivery and attempt, so made once, and gone after they fired. */
import { ConflictException, CreateScheduleCommand, type SchedulerClient } from '@aws-sdk/client-scheduler';
import type { Lane } from './delivery.ts';
import type { DeliveryScheduler } from './wake.ts';

export interface ScheduleSettings {
  readonly groupName: string;
  /** The role by which the scheduler may send to the queues. */
  readonly roleArn: string;
  readonly queueArns: Readonly<Record<Lane, string>>;
}

export function schedulerOfDeliveries(
  client: SchedulerClient,
  settings: ScheduleSettings,
): DeliveryScheduler {
  return {
    async schedule(name, at, lane, message) {
      try {
        await client.send(
          new CreateScheduleCommand({
            Name: name,
            GroupName: settings.groupName,
            ScheduleExpression: `at(${at.toISOString().slice(0, 19)})`,
            ScheduleExpressionTimezone: 'UTC',
            FlexibleTimeWindow: { Mode: 'OFF' },
            ActionAfterCompletion: 'DELETE',
            // No message group: it comes early and is sent on with one, see `planWake`.
            Target: {
              Arn: settings.queueArns[lane],
              RoleArn: settings.roleArn,
              Input: JSON.stringify(message),
            },
          }),
        );
      } catch (error) {
        if (!(error instanceof ConflictException)) throw error;
      }
    },
  };
}
