/**
 * Long retry delays as one-shot schedules, named by delivery and attempt. Their queue messages have no message group:
 * they arrive early, and the worker sends another one, with the client as group, for the rest of the delay.
 */
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import {
  createOneShotSchedule,
  type ScheduleSettings,
} from '../../platform/aws/one-shot-schedule.scheduler.ts';
import type { Lane } from '../delivery.ts';
import type { DeliveryScheduler } from './retry-scheduler.ts';

interface DeliveryScheduleSettings extends ScheduleSettings {
  readonly queueArns: Readonly<Record<Lane, string>>;
}

export function eventBridgeDeliveryScheduler(
  client: SchedulerClient,
  settings: DeliveryScheduleSettings,
): DeliveryScheduler {
  return {
    schedule: (name, at, lane, message) =>
      createOneShotSchedule(client, settings, { name, at, queueArn: settings.queueArns[lane], message }),
  };
}
