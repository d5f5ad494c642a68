/** Messages on private tables, with a carrier and a clock that the test controls. */
import type { Carrier, HandOver } from '../../../shared/message/dispatch/carrier.ts';
import type { OutboundEntry } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import type { Message } from '../../../shared/message/message.ts';
import { readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { suppressedIn, suppressionKeysOf } from '../../../shared/message/suppression/suppressions.dynamo.ts';
import { batchRead } from '../../../shared/platform/aws/read-rows.dynamo.ts';
import type { Context } from '../../../shared/platform/context.ts';
import { dispatchContext } from '../doubles/dispatch-context.ts';
import { outboundSqs, testContext } from '../engine/test-context.ts';
import type { TestTables } from '../engine/test-tables.ts';
import { onlyCarrier } from './example-message.ts';
import { aClient, ask, sendsIn } from './sends.ts';

export function handOversIn(tables: () => TestTables, clock: () => Date) {
  /** A carrier that answers as told, and what it was handed. */
  function carrierOf(answer: () => HandOver | Promise<HandOver>) {
    const handed: { readonly messageId: string; readonly at: Date }[] = [];
    const carrier: Carrier = {
      async handOver({ message }) {
        handed.push({ messageId: message.message_id, at: clock() });
        return answer();
      },
    };
    const requeued: OutboundEntry[] = [];
    const dependencies = dispatchContext({
      ...testContext(tables()),
      carriersFor: onlyCarrier(carrier),
      sqs: outboundSqs((entry) => requeued.push(entry)),
      clock,
    });
    return { dependencies, handed, requeued };
  }

  async function sent(
    body: object = {},
    name: 'sms' | 'whatsapp' = 'sms',
    client = aClient(),
  ): Promise<Message> {
    const operation = sendsIn(tables())[name];
    const { body: answer } = await ask(operation, {
      client,
      now: clock(),
      body: { to: '+447700900123', message: 'Hello', ...body },
    });
    return stored((answer as { message_id: string }).message_id);
  }

  async function stored(messageId: string): Promise<Message> {
    const message = await readMessage(testContext(tables()), messageId);
    if (message === undefined) throw new Error('no such message');
    return message;
  }

  return { carrierOf, sent, stored };
}

/** Returns true if the suppressions that are stored now stop a message from this sender. */
export async function isSuppressed(
  { db, env }: Context<'SUPPRESSIONS_TABLE'>,
  message: Message,
  from: string | undefined,
): Promise<boolean> {
  const rows = await batchRead(db, env.SUPPRESSIONS_TABLE, suppressionKeysOf(message, from));
  return suppressedIn(rows, [message]).size > 0;
}
