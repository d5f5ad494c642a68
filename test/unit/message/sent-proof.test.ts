/** `sent` is reported once, as soon as anything proves the hand-over, in every order of receipts, our write and expiry. */
import { describe, expect, it } from '@jest/globals';
import { eventsToSend, type Message } from '../../../shared/message/message.ts';
import { recordReceipts } from '../../../shared/message/receipts/record-receipts.ts';
import type { MessageStore } from '../../../shared/message/store/message-store.ts';
import { expiry } from '../../../shared/message/transition.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { eventName } from '../../../shared/webhook/plan/event-body.ts';
import { memoryMessageStore } from '../../support/doubles/memory-message-store.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const receipts = ['sent', 'delivered', 'read', 'failed', 'expired'] as const;
const steps = [...receipts, 'our own write', 'a refusal at hand-over', 'the clock'] as const;
type Step = (typeof steps)[number];
const longest = 4;

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

async function take(messages: MessageStore, id: string, step: Step, at: Date): Promise<void> {
  switch (step) {
    case 'our own write': {
      const noted = { at, carrierMessageId: 'c-1', findableByCarrierId: false };
      const sent = await messages.transition(id, { to: 'sent', ...noted });
      if (sent === undefined) await messages.noteHandOver(id, noted);
      return;
    }
    case 'a refusal at hand-over':
      await messages.transition(id, { to: 'failed', at, errorCode: 'unreachable', errorMessage: 'No.' });
      return;
    case 'the clock':
      await messages.transition(id, expiry(at));
      return;
    default:
      await recordReceipts(
        { messages, recordOptOut: async () => {} },
        [{ messageId: id, transition: { to: step, at } }],
        1,
      );
  }
}

describe.each(['sms', 'whatsapp'] as const)('the events of an %s message that was claimed', (channel) => {
  it('tell each state once, and `sent` exactly where a carrier has had the message', async () => {
    const faults: string[] = [];
    let tried = 0;
    for (const sequence of sequences(steps, longest)) {
      tried += 1;
      const told: string[] = [];
      const messages = memoryMessageStore((before: Message | undefined, after) => {
        if (before !== undefined)
          told.push(...eventsToSend({ before, after }).map((status) => eventName(after, status)));
      });
      const message = aMessage({ channel, status: 'sending', sending_at: created.toISOString() });
      await messages.create(message);
      for (const [index, step] of sequence.entries())
        await take(messages, message.message_id, step, addSeconds(created, index + 1));
      const proven = sequence.some((step) => step !== 'a refusal at hand-over' && step !== 'the clock');
      const sent = told.filter((event) => event === `${channel}.sent`).length;
      if (sent !== (proven ? 1 : 0)) faults.push(`${sequence.join(', ')}: sent told ${sent} times`);
      if (new Set(told).size < told.length) faults.push(`${sequence.join(', ')}: told ${told.join(', ')}`);
    }
    expect(tried).toBeGreaterThan(2000);
    expect(faults).toEqual([]);
  });
});
