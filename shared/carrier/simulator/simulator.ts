/**
 * Simulates a carrier and sends nothing. It writes each accepted message to the outbox, then sends receipts as real
 * carriers do: through the same queue, in the same form. The recipient decides the outcome (`simulated-recipients.ts`). A
 * repeated attempt replaces its own row, and its repeated receipts change nothing.
 */
import { messageError } from '../../contract/message-error-codes.ts';
import { modeField } from '../../contract/mode.ts';
import { expectedPrice, type PriceTable } from '../../contract/prices.ts';
import { fromOf } from '../../message/attempt.ts';
import type { Carrier, HandOver, HandOverRequest } from '../../message/dispatch/carrier.ts';
import type { Message } from '../../message/message.ts';
import { dynamo, sqs } from '../../platform/aws/clients.ts';
import { addSeconds } from '../../platform/clock.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import type { CarrierModule } from '../carrier-module.ts';
import { dynamoOutbox, type Outbox } from './outbox.dynamo.ts';
import {
  inboundNotification,
  receiptNotification,
  type Script,
  scriptFor,
  simulatorNumber,
  sqsReceiptSender,
} from './simulated-recipients.ts';
import { simulatorDescriptor } from './simulator-descriptor.ts';

export const simulator: CarrierModule = {
  descriptor: simulatorDescriptor,
  errors: {},
  create: (_channel, { env, prices }) =>
    simulatedCarrier({
      outbox: dynamoOutbox(dynamo(), env.SIMULATOR_OUTBOX_TABLE, env.RETENTION_DAYS),
      sendReceipts: sqsReceiptSender(sqs(), env.RECEIPTS_QUEUE_URL),
      prices,
    }),
};

export function simulatedCarrier(dependencies: {
  readonly outbox: Pick<Outbox, 'record'>;
  readonly sendReceipts: ReturnType<typeof sqsReceiptSender>;
  readonly prices: PriceTable;
}): Carrier {
  async function handOver({ message, body, attempt }: HandOverRequest): Promise<HandOver> {
    const script = scriptFor(message.channel, message.recipient);
    if (script.refuses) return { outcome: 'refused', ...messageError('invalid_recipient') };
    if (attempt.number <= (script.throttles ?? 0))
      return {
        outcome: 'throttled',
        reason: 'the simulator throttles',
        ...withoutUndefined({ forRecipient: script.forRecipient }),
      };

    // A repeat of the attempt has the same time and id.
    const { at, id: carrierMessageId } = attempt;
    const price = expectedPrice(dependencies.prices, message);
    await dependencies.outbox.record(
      {
        message_id: message.message_id,
        client_id: message.client_id,
        channel: message.channel,
        to: message.recipient,
        from: fromOf(message),
        body: readableBody(message, body.text),
        at: at.toISOString(),
      },
      attempt.number,
      carrierMessageId,
    );
    const accepted = { message, carrierMessageId, price };
    const receipts = planReports(script).map(({ report, delaySeconds }) => ({
      body: receiptNotification({ ...accepted, report, at: addSeconds(at, delaySeconds) }),
      delaySeconds,
    }));
    const reply = script.replies?.(body.text);
    if (reply !== undefined) receipts.push(replyTo(message, reply, carrierMessageId, at));
    if (receipts.length > 0) await dependencies.sendReceipts(receipts, message.client_id);
    return { outcome: 'accepted', carrierMessageId, ...price };
  }

  return { handOver };
}

/** The reply follows the hand-over by this delay, so that the hand-over is stored first. */
const replySeconds = 2;

function replyTo(message: Message, text: string, repliesTo: string, handedOverAt: Date) {
  const from = fromOf(message);
  const body = inboundNotification({
    channel: message.channel,
    from: message.recipient,
    to: from?.startsWith('+') === true ? from : simulatorNumber,
    text,
    id: `reply-${repliesTo}`,
    at: addSeconds(handedOverAt, replySeconds),
    ...modeField(message.client_id),
    repliesTo,
  });
  return { body, delaySeconds: replySeconds };
}

function planReports(script: Script) {
  return script.reports.flatMap((report, index) =>
    Array.from({ length: script.copies ?? 1 }, () => ({
      report,
      delaySeconds: index * (script.secondsBetween ?? 0),
    })),
  );
}

/** A template, a media file or a location has no text, so the outbox shows its JSON. */
function readableBody(message: Message, body: string): string {
  if (message.whatsapp === undefined || message.whatsapp.type === 'text') return body;
  return JSON.stringify(message.whatsapp);
}
