/** `sent` is reported once, as soon as anything proves the hand-over, in every order of receipts, our write and expiry. */

import { describe, expect, it } from '@jest/globals';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import { eventsToSend, type Message } from '../../../shared/message/message.ts';
import { noteHandOver, transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { expiry, parseMessageRow } from '../../../shared/message/store/message-row.ts';
import { createMessage, readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { eventName } from '../../../shared/webhook/plan-deliveries.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import type { TestContext } from '../../support/engine/test-context.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import type { Change } from '../../support/simulation/aws/dynamodb.ts';
import { plainRow } from '../../support/simulation/direct-database.ts';

const receipts = ['sent', 'delivered', 'read', 'failed', 'expired'] as const;
const steps = [...receipts, 'our own write', 'a refusal at hand-over', 'the clock'] as const;
type Step = (typeof steps)[number];
const longest = 3;

/** Every sequence of different steps, with the first one repeated at its end too. */
function* sequences(left: readonly Step[], length: number): Generator<readonly Step[]> {
  yield [];
  if (length === 0) return;
  for (const step of left)
    for (const rest of sequences(
      left.filter((other) => other !== step),
      length - 1,
    )) {
      yield [step, ...rest];
      if (rest.length > 0) yield [step, ...rest, step];
    }
}

async function take(context: TestContext, id: string, step: Step, at: Date): Promise<void> {
  switch (step) {
    case 'our own write': {
      const noted = { at, carrierMessageId: 'c-1' };
      const sent = await transitionMessage(context, id, { to: 'sent', ...noted });
      if (sent === undefined) await noteHandOver(context, id, noted);
      return;
    }
    case 'a refusal at hand-over':
      await transitionMessage(context, id, {
        to: 'failed',
        at,
        errorCode: 'unreachable',
        errorMessage: 'No.',
      });
      return;
    case 'the clock':
      await transitionMessage(context, id, expiry(at));
      return;
    default:
      await recordReceipts(
        { ...context, priceOf: () => undefined },
        [{ messageId: id, transition: { to: step, at } }],
        1,
      );
  }
}

/** The sequences by their beginnings, so that each beginning is run once. */
interface Beginning {
  isWhole: boolean;
  readonly next: Map<Step, Beginning>;
}

function beginnings(): Beginning {
  const root: Beginning = { isWhole: false, next: new Map() };
  for (const sequence of sequences(steps, longest)) {
    let at = root;
    for (const step of sequence) {
      const next = at.next.get(step) ?? { isWhole: false, next: new Map() };
      at.next.set(step, next);
      at = next;
    }
    at.isWhole = true;
  }
  return root;
}

describe.each(['sms', 'whatsapp'] as const)('the events of an %s message that was claimed', (channel) => {
  it('report each state once, and `sent` exactly if a carrier has had the message', async () => {
    const faults: string[] = [];
    let tried = 0;
    let told: string[] = [];
    const onChange = (change: Change): void => {
      if (change.before === undefined) return;
      const [before, after] = [change.before, change.after].map((row) =>
        parseMessageRow(plainRow(row ?? {})),
      );
      if (after !== undefined)
        told.push(...eventsToSend({ before, after }).map((status) => eventName(after, status)));
    };
    const { context } = inMemoryStores(inMemoryTables({ onChange }));

    async function follow(row: Message, { isWhole, next }: Beginning, done: readonly Step[]): Promise<void> {
      const toldBefore = told;
      if (isWhole) check(done);
      for (const [step, beginning] of next) {
        const message_id = `msg_${[...done, step].join()}`;
        await createMessage(context, { ...row, message_id });
        told = [...toldBefore];
        await take(context, message_id, step, addSeconds(created, done.length + 1));
        await follow((await readMessage(context, message_id)) ?? row, beginning, [...done, step]);
      }
    }

    function check(sequence: readonly Step[]): void {
      tried += 1;
      // An SMS is not read.
      const provesNothing = ['a refusal at hand-over', 'the clock', ...(channel === 'sms' ? ['read'] : [])];
      const proven = sequence.some((step) => !provesNothing.includes(step));
      const sent = told.filter((event) => event === `${channel}.sent`).length;
      if (sent !== (proven ? 1 : 0)) faults.push(`${sequence.join(', ')}: sent told ${sent} times`);
      if (new Set(told).size < told.length) faults.push(`${sequence.join(', ')}: told ${told.join(', ')}`);
    }

    const message = aMessage({ channel, status: 'sending', sending_at: created.toISOString() });
    await follow(message, beginnings(), []);
    expect(tried).toBeGreaterThan(700);
    expect(faults).toEqual([]);
  });
});
