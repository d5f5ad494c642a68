/** One-shot schedules, named by message id, for messages scheduled beyond the maximum delay of a queue. */
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import type { SendKind } from '../../contract/send-kinds.ts';
import {
  createOneShotSchedule,
  type ScheduleSettings,
} from '../../platform/aws/one-shot-schedule.scheduler.ts';
import type { OutboundScheduler } from './outbound-queue.ts';

interface OutboundScheduleSettings extends ScheduleSettings {
  readonly queueArns: Readonly<Record<SendKind, string>>;
}

export function eventBridgeOutboundScheduler(
  client: SchedulerClient,
  settings: OutboundScheduleSettings,
): OutboundScheduler {
  return {
    schedule: ({ messageId, kind }, at) =>
      createOneShotSchedule(client, settings, {
        name: messageId,
        at,
        queueArn: settings.queueArns[kind],
        message: { message_id: messageId },
      }),
  };
}
