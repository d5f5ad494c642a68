/** A stage whose carriers respond as told, to follow the attempts of one message. */
import { messageError } from '../../../shared/contract/message-error-codes.ts';
import type { ChosenCarrier, HandOver, HandOverRequest } from '../../../shared/message/dispatch/carrier.ts';
import type { DispatchContext } from '../../../shared/message/dispatch/dispatch-context.ts';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import type { Message } from '../../../shared/message/message.ts';
import { statusView } from '../../../shared/message/message-response.ts';
import { createMessage, readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { dispatchContext } from '../doubles/dispatch-context.ts';
import { inMemoryTables } from '../engine/in-memory-tables.ts';
import { inMemoryStores } from '../engine/stores.ts';
import { outboundSqs, withCalls } from '../engine/test-context.ts';
import type { AroundCall } from '../simulation/direct-database.ts';
import { aMessage, created } from './example-message.ts';

type Answer = HandOver | 'lost';

export const accepted: HandOver = {
  outcome: 'accepted',
  carrierMessageId: 'c-1',
  cost: 0.01,
  currency: 'USD',
};
export const notTaken: HandOver = { outcome: 'not_taken', reason: 'ECONNREFUSED' };
export const throttled: HandOver = { outcome: 'throttled', reason: 'slow down' };
export const recipientThrottled: HandOver = { ...throttled, forRecipient: true };
export const ownRefusal: HandOver = {
  outcome: 'refused',
  ...messageError('sender_rejected'),
  elsewhere: true,
};
export const refusal: HandOver = { outcome: 'refused', ...messageError('invalid_recipient') };

/**
 * A stage whose carriers respond as told, and a message that is dispatched each time the queue shows it.
 *
 * @param change.onUnknown - the rule of the stage for every kind of message; by default the usual one
 */
export async function attemptWorld(
  answers: Readonly<Record<string, readonly Answer[]>>,
  { onUnknown, ...change }: Partial<Message> & { readonly onUnknown?: 'send_again' | 'wait' } = {},
  {
    settledBy = 'receipt',
    defaultSender,
    duringCall = async () => {},
    isOtpPending = true,
    around,
    enqueueFails = () => false,
    ...guards
  }: Partial<Pick<ChosenCarrier, 'settledBy'>> &
    Partial<Pick<DispatchContext, 'isDisabled'>> & {
      readonly defaultSender?: string;
      readonly isOtpPending?: boolean;
      /** Called before the response to an attempt. */
      readonly duringCall?: (attempt: number) => Promise<void>;
      /** Delays calls of the database. */
      readonly around?: AroundCall;
      /** Returns true if the queue refuses a message now. */
      readonly enqueueFails?: () => boolean;
    } = {},
) {
  let now = created;
  const { context } = inMemoryStores(inMemoryTables(around === undefined ? {} : { around }));
  const message = aMessage({ expires_at: addSeconds(created, 3600).toISOString(), ...change });
  await createMessage(context, message);
  const calls: { readonly carrier: string; readonly request: HandOverRequest }[] = [];
  const queued: Date[] = [now];
  const lookups: string[] = [];
  const known = new Set<string>();
  const carriers = Object.entries(answers).map(
    ([name, responses]): ChosenCarrier => ({
      name,
      settledBy,
      defaultSender: async () => defaultSender,
      async handOver(request) {
        const index = calls.filter(({ carrier }) => carrier === name).length;
        calls.push({ carrier: name, request });
        await duringCall(request.attempt.number);
        const answer = responses[Math.min(index, responses.length - 1)];
        if (answer === undefined || answer === 'lost') throw new Error('the response was lost');
        return answer;
      },
      async lookup({ attempt }) {
        lookups.push(attempt.id);
        const transition = { to: 'delivered', at: now, cost: 0.04, currency: 'USD' } as const;
        const { id, number } = attempt;
        return known.has(id)
          ? { carrierMessageId: 'found', receipt: { attempt: number, transition } }
          : undefined;
      },
    }),
  );
  let diesAtCost = false;
  const usual = dispatchContext({
    ...withCalls(context, async ({ input }, run) => {
      if (diesAtCost && String(input.UpdateExpression).startsWith('SET #costs'))
        throw new Error('the worker died');
      return run();
    }),
    carriersFor: () => carriers,
    env: {
      ...context.env,
      ...(onUnknown && { ON_UNKNOWN: { otp: onUnknown, promotional: onUnknown, other: onUnknown } }),
    },
    sqs: outboundSqs(({ delaySeconds }) => {
      if (enqueueFails()) throw new Error('the queue is not available');
      queued.push(addSeconds(now, delaySeconds));
    }),
    clock: () => now,
    ...guards,
  });
  const dependencies = { ...usual, otpLegs: { ...usual.otpLegs, isPending: async () => isOtpPending } };
  const { message_id } = message;
  return {
    context,
    calls,
    known,
    lookups,
    queued,
    /** From now on each worker dies before it writes a cost. */
    dieAtCost: () => {
      diesAtCost = true;
    },
    asked: () => calls.map(({ carrier, request }) => `${carrier} ${request.attempt.number}`),
    row: async () => (await readMessage(context, message_id)) as Message,
    view: async () => statusView((await readMessage(context, message_id)) as Message),
    show: () => dispatch(dependencies, message_id),
    /** Shows the message as often as the queue has it until then. */
    async until(seconds: number) {
      const end = addSeconds(created, seconds);
      for (let at = queued[0]; at !== undefined && at <= end; at = queued[0]) {
        queued.shift();
        if (at > now) now = at;
        await dispatch(dependencies, message_id);
        queued.sort((one, other) => one.getTime() - other.getTime());
      }
      now = end;
    },
    report: (attempt: number, to: 'sent' | 'delivered' | 'failed', price: Partial<HandOver> = {}) =>
      recordReceipts(
        {
          ...context,
          priceOf: () => ({ cost: 0.01, currency: 'USD' }),
        },
        [
          {
            messageId: message_id,
            attempt,
            transition: { to, at: now, ...price, ...(to === 'failed' ? messageError('unreachable') : {}) },
          },
        ],
        1,
      ),
  };
}
