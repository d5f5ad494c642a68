/** One-shot schedules, named by message id, for what is due beyond the maximum delay of a queue. */
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SendKind } from '../../contract/send-kinds.ts';
import {
  createOneShotSchedule,
  type ScheduleSettings,
} from '../../platform/aws/one-shot-schedule.scheduler.ts';
import { type OutboundScheduler, queuedMessageOf, scheduleNameOf } from './outbound-queue.ts';

interface OutboundScheduleSettings extends ScheduleSettings {
  readonly queueArns: Readonly<Record<SendKind, string>>;
}

export function eventBridgeOutboundScheduler(
  client: SchedulerClient,
  settings: OutboundScheduleSettings,
): OutboundScheduler {
  return {
    schedule: (entry, at) =>
      createOneShotSchedule(client, settings, {
        name: scheduleNameOf(entry),
        at,
        queueArn: settings.queueArns[entry.kind],
        message: queuedMessageOf(entry),
      }),
  };
}
