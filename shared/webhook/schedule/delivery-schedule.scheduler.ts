/**
 * The long legs of webhooks as one-shot schedules, named by delivery and attempt. Their messages carry no message group:
 * they come early, and the worker that takes one sends the wake proper, with its client as the group, by the queue.
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
