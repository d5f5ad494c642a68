/** Messages that are scheduled beyond a queue's delay, as one-shot schedules named by their id. */
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import { createOneShot, type ScheduleSettings } from '../one-shot.scheduler.ts';
import type { OutboundScheduler } from './outbound-queue.ts';

export function schedulerOfMessages(
  client: SchedulerClient,
  settings: ScheduleSettings & { readonly queueArn: string },
): OutboundScheduler {
  return {
    schedule: (messageId, at) =>
      createOneShot(client, settings, {
        name: messageId,
        at,
        queueArn: settings.queueArn,
        message: { message_id: messageId },
      }),
  };
}
