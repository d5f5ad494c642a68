/** The transition table, for any order of any reports, at whatever times their clocks say that they happened. */

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  eventsToSend,
  historyOf,
  type Message,
  type Status,
  statuses,
  transitions,
} from '../../../shared/message/message.ts';
import { statesEntered } from '../../../shared/message/store/message-row.ts';
import { runs } from '../../fuzz/runs.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const report = fc.record({
  to: fc.constantFrom(...statuses),
  /** A carrier's clock can be hours off. */
  atMs: fc.integer({ min: -10_000_000, max: 10_000_000 }),
});
const beginnings = ['scheduled', 'queued', 'sending'] as const;
const finals = statuses.filter((status) => transitions[status].final);

/** The one conditional write that enters a state, as words. */
function entered(message: Message, to: Status, at: Date): Message {
  if (!transitions[to].from.includes(message.status)) return message;
  const times = statesEntered({ to })
    .filter((state) => message[`${state as Exclude<Status, 'scheduled'>}_at`] === undefined)
    .map((state) => [`${state}_at`, at.toISOString()]);
  return { ...message, ...Object.fromEntries(times), status: to };
}

describe('a message', () => {
  it('only moves forwards, reports each state once, and after a final one only that it arrived after all', () => {
    const begins = fc.constantFrom(...beginnings);
    fc.assert(
      fc.property(begins, fc.array(report, { maxLength: 40 }), (status, reports) => {
        let message = aMessage({ message_id: 'msg_01KAG00000000000000000000A', channel: 'whatsapp', status });
        const told: Status[] = [];
        for (const { to, atMs } of reports) {
          const before = message;
          message = entered(before, to, new Date(created.getTime() + atMs));
          if (message === before) continue;
          expect(statuses.indexOf(message.status)).toBeGreaterThan(statuses.indexOf(before.status));
          if (finals.includes(before.status)) expect(['delivered', 'read']).toContain(message.status);
          told.push(...eventsToSend({ before, after: message }));
        }
        expect(new Set(told).size).toBe(told.length);
        const history = historyOf(message).map((entry) => entry.status);
        expect(new Set(history).size).toBe(history.length);
        expect(history).toEqual(history.toSorted((a, b) => statuses.indexOf(a) - statuses.indexOf(b)));
        if (history.includes('read')) expect(history).toEqual(expect.arrayContaining(['sent', 'delivered']));
        if (history.includes('delivered')) expect(history).toContain('sent');
        if (message.status === 'canceled') expect(told).toEqual([]);
      }),
      runs,
    );
  });

  it('that is repeated to have come to a state stays as it is', () => {
    fc.assert(
      fc.property(fc.array(report, { maxLength: 20 }), (reports) => {
        const first = aMessage({
          message_id: 'msg_01KAG00000000000000000000A',
          channel: 'sms',
          status: 'sending',
        });
        const once = reports.reduce((message, { to, atMs }) => entered(message, to, new Date(atMs)), first);
        expect(entered(once, once.status, new Date(0))).toBe(once);
      }),
      runs,
    );
  });
});
