/**
 * The outbound queues, one for each kind of send. The function dispatch-message consumes them, and sends messages that must
 * wait back.
 */
import type { Construct } from 'constructs';
import { type SendKind, sendKinds } from '../../../shared/contract/channels.ts';
import { handOverVisibilitySeconds } from '../../../shared/contract/hand-over-times.ts';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/**
 * The outbound queues, by kind of send (shared/message/message.ts). An `id` must not change, because a new queue would
 * replace the old one, and its messages would be late.
 */
const outboundQueues = {
  otp: { id: 'OtpOutbound', concurrency: 'otpSends' },
  single: { id: 'Outbound', concurrency: 'singleSends' },
  bulk: { id: 'BulkOutbound', concurrency: 'bulkSends' },
} as const satisfies Record<
  SendKind,
  { readonly id: string; readonly concurrency: keyof StageSettings['concurrency'] }
>;

export class OutboundQueues {
  readonly queues: Readonly<Record<SendKind, GatewayQueue>>;
  private readonly stage: StageSettings;

  constructor(scope: Construct, stage: StageSettings) {
    this.stage = stage;
    const queueOf = ({ id }: (typeof outboundQueues)[SendKind]): GatewayQueue =>
      new GatewayQueue(scope, id, {
        stage,
        visibilitySeconds: handOverVisibilitySeconds,
        // So many receives let a message survive an outage of a table or a carrier for more than an hour. After that, an
        // operator must redrive it.
        maxReceives: 100,
      });
    this.queues = {
      otp: queueOf(outboundQueues.otp),
      single: queueOf(outboundQueues.single),
      bulk: queueOf(outboundQueues.bulk),
    };
  }

  feed(dispatch: GatewayFunction): void {
    for (const kind of sendKinds) {
      const maxConcurrency = this.stage.concurrency[outboundQueues[kind].concurrency];
      this.queues[kind].feed(dispatch, { batchSize: 10, maxConcurrency });
    }
  }
}
