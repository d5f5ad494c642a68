/**
 * The way of an SMS from the request to its webhook, and what a crash leaves at each step, for docs/architecture.md. A step
 * whose file or function does not exist throws, so a renamed one is noticed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimSeconds, handOverVisibilitySeconds } from '../../../shared/contract/hand-over-times.ts';
import { visibilitySeconds } from '../../../shared/contract/webhook-worker-times.ts';
import { root } from './pages.ts';

interface WayStep {
  readonly step: string;
  /** In `shared` or `functions`. */
  readonly file: string;
  readonly does: string;
  readonly write: string;
  readonly left: string;
  readonly continued: string;
}

/** The clock function queues a row ahead of its `due_at`, with a delay. */
const dueWithin = 'the due index, within two minutes';

const way: readonly WayStep[] = [
  {
    step: 'Request',
    file: 'shared/http/http-function.ts',
    does: 'answer',
    write: 'the counter of the client, if it is below its limit',
    left: 'a counted request',
    continued: 'the caller',
  },
  {
    step: 'Check',
    file: 'shared/message/send/send-one.ts',
    does: 'sendOne',
    write: 'the caps, if they contain the amount',
    left: 'an amount taken from a cap',
    continued: 'nothing: the amount returns with its window',
  },
  {
    step: 'Store: **202**',
    file: 'shared/message/store/messages.dynamo.ts',
    does: 'createMessage',
    write: 'the message (`queued`), if its id is free',
    left: 'the message',
    continued: 'the stream; a repeat with the same key gets the stored response',
  },
  {
    step: 'Relay',
    file: 'shared/relay/relay.ts',
    does: 'relay',
    write: 'a queue message with the id',
    left: 'the batch of the stream',
    continued: 'the stream; a record that fails for a minute waits in `RelayDeadLetters` for ten minutes',
  },
  {
    step: 'Read, decide',
    file: 'shared/message/dispatch/next-step.ts',
    does: 'nextHandOverStep',
    write: '–',
    left: 'the queue message',
    continued: `the queue, after ${handOverVisibilitySeconds} s; if it lost the message, ${dueWithin}`,
  },
  {
    step: 'Check, wait for the pace, read the suppression',
    file: 'shared/message/dispatch/sender-pace.dynamo.ts',
    does: 'reservePlace',
    write: 'the cursor of the sender, if it is near',
    left: 'the queue message, and an unused place',
    continued: 'as above',
  },
  {
    step: 'Claim',
    file: 'shared/message/store/message-changes.dynamo.ts',
    does: 'claimMessage',
    write: '`sending`, a claim and the attempt, if nobody has claimed it since it was read',
    left: `a claim of ${claimSeconds} s, and an attempt without an outcome: the carrier may have the message`,
    continued: 'a receipt, a repeat that the carrier recognizes, or at the deadline the setting `onUnknown`',
  },
  {
    step: 'Sleep until the place, call the carrier',
    file: 'shared/message/dispatch/dispatch-message.ts',
    does: 'callCarrier',
    write: '–',
    left: 'as above',
    continued: 'as above',
  },
  {
    step: 'Record the outcome',
    file: 'shared/message/dispatch/record-outcome.ts',
    does: 'recordSent',
    write: 'the contact; `sent`, if no receipt came first',
    left: 'the contact, and an attempt without an outcome',
    continued: 'as above',
  },
  {
    step: 'Receipt, from SNS or a callback',
    file: 'shared/message/dispatch/record-receipts.ts',
    does: 'recordReceipts',
    write: '`delivered`, if the state allows it',
    left: 'the queue message',
    continued: 'the queue; a repeat changes nothing',
  },
  {
    step: 'Plan webhooks, in the relay: for `sent`, then for `delivered`',
    file: 'shared/webhook/delivery-store.dynamo.ts',
    does: 'createDeliveries',
    write: 'a delivery for each destination, if its id is free; then its queue message',
    left: 'the batch of the stream, or deliveries without a queue message',
    continued: `the stream, or ${dueWithin}`,
  },
  {
    step: 'Claim and post',
    file: 'shared/webhook/deliver/deliver-webhook.ts',
    does: 'deliverWebhook',
    write: 'the claim, if the delivery is as it was read',
    left: 'a claimed attempt: the endpoint may get the POST again, with the same `webhook-id`',
    continued: `the queue, after ${visibilitySeconds} s; if it lost the message, ${dueWithin}`,
  },
  {
    step: 'Record',
    file: 'shared/webhook/deliver/deliver-webhook.ts',
    does: 'recordPost',
    write: 'the outcome, if the claim is held',
    left: 'the outcome',
    continued: 'the queue message, which schedules the retry or sends the alert',
  },
  {
    step: 'Schedule the retry',
    file: 'shared/webhook/delivery-queue.sqs.ts',
    does: 'scheduleRetry',
    write: 'an SQS delay or a one-shot schedule',
    left: 'the time of the retry in the row',
    continued: `the queue message, which schedules it; if it is lost, ${dueWithin}`,
  },
  {
    step: 'Give up, after the fifth retry',
    file: 'shared/webhook/deliver/alert-failure.ts',
    does: 'alertFailure',
    write: 'an entry of the Activity Log; then that it is written',
    left: 'a pending alert',
    continued: 'the queue message; a repeat overwrites the entry',
  },
  {
    step: 'Count usage, from the same stream',
    file: 'shared/usage/count-journal.dynamo.ts',
    does: 'noteChanges',
    write: 'the sums of the batch and its position, if the position has not moved',
    left: 'the batch of the stream, or an addition that was begun',
    continued: 'the stream; after 30 s another worker repeats the addition, and no row takes it twice',
  },
];

export function wayTable(): string {
  const rows = way.map(({ step, file, does, write, left, continued }) => {
    const code = readFileSync(join(root, file), 'utf8');
    if (!new RegExp(`function ${does}\\b`).test(code)) throw new Error(`${file} has no function ${does}`);
    const link = `[\`${file.split('/').at(-1)}\`](../${file}) \`${does}\``;
    return `| ${step} | ${link} | ${write} | ${left} | ${continued} |`;
  });
  return [
    '| Step | File and function | It writes | A crash leaves | What continues it |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
