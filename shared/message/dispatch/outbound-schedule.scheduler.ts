/** One-shot schedules, named by message id, for messages scheduled beyond the maximum delay of the queue. */
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import {
  createOneShotSchedule,
  type ScheduleSettings,
} from '../../platform/aws/one-shot-schedule.scheduler.ts';
import type { OutboundScheduler } from './outbound-queue.ts';

export function eventBridgeOutboundScheduler(
  client: SchedulerClient,
  settings: ScheduleSettings & { readonly queueArn: string },
): OutboundScheduler {
  return {
    schedule: (messageId, at) =>
      createOneShotSchedule(client, settings, {
        name: messageId,
        at,
        queueArn: settings.queueArn,
        message: { message_id: messageId },
      }),
  };
}
