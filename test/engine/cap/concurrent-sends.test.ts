/** Under any concurrency, what is accepted never exceeds a cap, and hardly any of it is left (contract 10.2). */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StageCaps } from '../../../shared/contract/rate-limits-and-caps.ts';
import type { Message } from '../../../shared/message/message.ts';
import {
  cappedSends,
  cappedTables,
  messagesOf,
  now,
  wantedMessages,
} from '../../support/cap/capped-sends.ts';
import { millionthsOf, usedOf } from '../../support/cap/caps.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aClient, ask, type SendName } from '../../support/message/sends.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await cappedTables();
});
afterAll(() => tables.drop());

interface Mixed {
  readonly name: SendName;
  readonly body: Record<string, unknown>;
}

/** Requests of each kind, at prices from 0.0075 to some units. */
function mixedRequests(count: number): Mixed[] {
  const random = randomFrom(7);
  const whole = (below: number): number => Math.floor(random() * below);
  const recipient = (index: number): string => {
    const country = ['+4477009', '+1206555', '+336123'][whole(3)];
    return `${country}${String(index).padStart(country === '+1206555' ? 4 : 5, '0')}`;
  };
  return Array.from({ length: count }, (_, index): Mixed => {
    const message = 'x'.repeat(1 + whole(500));
    switch (whole(4)) {
      case 0:
        return { name: 'sms', body: { to: recipient(index), message } };
      case 1:
        return { name: 'whatsapp', body: { to: recipient(index), message } };
      case 2:
        return { name: 'otp', body: { to: recipient(index) } };
      default: {
        const rows = Array.from({ length: 2 + whole(12) }, (_row, row) => recipient(index * 16 + row));
        return { name: 'bulk', body: { message, recipients: [...new Set(rows)] } };
      }
    }
  });
}

describe('sends and bulks of mixed price at once', () => {
  it.each<[number, string, StageCaps, (messages: readonly Message[]) => number, number, string]>([
    [500, 'a spend cap', { spend: { perDay: 12.34 } }, millionthsOf, 12_340_000, 'spend_limit_reached'],
    [
      200,
      'a cap on messages',
      { messages: { perHour: 165 } },
      ({ length }) => length,
      165,
      'message_limit_reached',
    ],
  ])(
    '%i never exceed %s, and leave less of it than the cheapest refused request needs',
    async (count, _what, caps, amountOf, limit, code) => {
      const client = aClient();
      const processes = Array.from({ length: 20 }, () => cappedSends(tables, caps));
      const requests = mixedRequests(count);
      const results = await Promise.allSettled(
        requests.map(({ name, body }, index) => {
          const operation = processes[index % processes.length]?.[name];
          if (operation === undefined) throw new Error('no process');
          return ask(operation, { client, now, body });
        }),
      );
      const refused: number[] = [];
      for (const [index, result] of results.entries()) {
        if (result.status === 'fulfilled') continue;
        expect(result.reason).toMatchObject({ code });
        const { name, body } = requests[index] as Mixed;
        refused.push(amountOf(await wantedMessages(name, body)));
      }
      expect(refused.length).toBeGreaterThan(count / 5);
      const accepted = amountOf(await messagesOf(tables, client.client_id));
      expect(accepted).toBeLessThanOrEqual(limit);
      expect(limit - accepted).toBeLessThan(Math.min(...refused));
      const used = Object.values(await usedOf(tables, client.client_id, now, caps));
      expect(used).toEqual([code === 'spend_limit_reached' ? accepted / 1e6 : accepted]);
    },
  );
});
