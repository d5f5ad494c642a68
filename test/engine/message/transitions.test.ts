import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  eventsToSend,
  historyOf,
  type Message,
  type Status,
  statuses,
  transitions,
} from '../../../shared/message/message.ts';
import { transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { statesEntered, type Transition } from '../../../shared/message/store/message-row.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { eventName } from '../../../shared/webhook/plan-deliveries.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

/** What carriers and the clock can report, in whatever order and however often. */
const reports = ['sent', 'delivered', 'read', 'failed', 'expired'] as const satisfies readonly Status[];
/** Long enough for each report to come twice around any other. */
const longest = 6;

function handedOver(channel: Message['channel'], messageId = 'msg_01KAG00000000000000000000A'): Message {
  return aMessage({ message_id: messageId, channel, status: 'sending', sending_at: created.toISOString() });
}

/** The transition table read as words, beside the store that reads it as a condition. */
function entered(message: Message, { to, at, reported = false }: Transition): Message | undefined {
  if (!transitions[to].from.includes(message.status)) return undefined;
  const times = statesEntered({ to, reported }).flatMap((state) =>
    message[`${state as Exclude<Status, 'scheduled'>}_at`] === undefined
      ? [[`${state}_at`, at.toISOString()]]
      : [],
  );
  return { ...message, ...Object.fromEntries(times), status: to };
}

const transitionOf = (to: Status, index: number): Transition => ({ to, at: addSeconds(created, index + 1) });

/** What is wrong with the way of a message through these states, in words. */
function faultsOf(way: readonly Message[]): string[] {
  const faults: string[] = [];
  const told: string[] = [];
  for (const [index, after] of way.entries()) {
    const before = way[index - 1];
    if (before === undefined) continue;
    if (statuses.indexOf(after.status) <= statuses.indexOf(before.status)) {
      faults.push(`${before.status} became ${after.status}`);
    }
    const owed = eventsToSend({ before, after });
    if (!owed.some((status) => status === after.status)) faults.push(`${after.status} was not told`);
    told.push(...owed.map((status) => eventName(after, status)));
  }
  // `whatsapp.failed` tells of a time-out too: one of the two is all that a message can come to.
  if (new Set(told).size !== told.length) faults.push(`told ${told.join(', ')}`);
  const last = way.at(-1);
  if (last !== undefined) {
    const inHistory = historyOf(last).map(({ status }) => status);
    if (new Set(inHistory).size !== inHistory.length) faults.push(`a history of ${inHistory.join(', ')}`);
    if (inHistory.includes('delivered') && !inHistory.includes('sent')) faults.push('delivered, never sent');
  }
  return faults;
}

describe('the messages table', () => {
  let tables: TestTables;

  beforeAll(async () => {
    tables = await createTables(['messages']);
  });
  afterAll(async () => {
    await tables.drop();
  });

  it('takes and refuses the same reports as the table of transitions, one by one and all at once', async () => {
    const context = testContext(tables, { env: { RETENTION_DAYS: 1 } });
    const anyReports = fc.array(fc.constantFrom(...reports), { minLength: 1, maxLength: longest });
    await fc.assert(
      fc.asyncProperty(anyReports, async (sequence) => {
        const first = handedOver('sms', newId('msg', created));
        await createMessage(context, first);
        const way = [first];
        for (const [index, to] of sequence.entries()) {
          const expected = entered(way.at(-1) ?? first, transitionOf(to, index));
          const stored = await transitionMessage(context, first.message_id, transitionOf(to, index));
          expect(stored).toEqual(expected);
          if (stored !== undefined) way.push(stored);
        }
        expect(faultsOf(way)).toEqual([]);

        // At once: whatever order the writes took, each state was entered by one of them at most.
        const second = handedOver('sms', newId('msg', created));
        await createMessage(context, second);
        const taken = await Promise.all(
          sequence.map((to, index) => transitionMessage(context, second.message_id, transitionOf(to, index))),
        );
        const inOrder = taken
          .flatMap((row) => row ?? [])
          .toSorted((a, b) => statuses.indexOf(a.status) - statuses.indexOf(b.status));
        expect(faultsOf([second, ...inOrder])).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
