/** A request that a cap has no room for is a 429 that says what would have fitted, and changes nothing (contract 10.3). */

import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayError } from '../../../shared/contract/errors.ts';
import type { StageCaps } from '../../../shared/contract/rate-limits-and-caps.ts';
import { otpSendsTo } from '../../../shared/otp/otp-store.dynamo.ts';
import { bodies, cappedSends, cappedTables, now, sendNames, to } from '../../support/cap/capped-sends.ts';
import { storesIn } from '../../support/engine/stores.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { type Asked, aClient, ask, type SendName } from '../../support/message/sends.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await cappedTables();
});
afterAll(() => tables.drop());

describe('a request that a cap has no room for', () => {
  const day = new Date('2026-11-21T00:00:00.000Z');

  it.each<[string, StageCaps, SendName, Record<string, unknown>]>([
    [
      'of one message a minute',
      { messages: { perMinute: 1, perDay: 5 } },
      'sms',
      {
        code: 'message_limit_reached',
        status: 429,
        message: 'The limit of 1 message per minute is reached. Try again in 43 seconds.',
        retryAfterSeconds: 43,
      },
    ],
    [
      'of both, where the spend cap resets last',
      { messages: { perHour: 1 }, spend: { perDay: 0.05 } },
      'sms',
      {
        code: 'spend_limit_reached',
        status: 429,
        message: `The limit of 0.05 EUR per day is reached. Try again in ${(day.getTime() - now.getTime()) / 1000} seconds.`,
      },
    ],
    [
      'for a bulk: it says how many recipients would have fitted',
      { spend: { perMonth: 0.04 + 0.04 + 0.0075 } },
      'bulk',
      {
        code: 'spend_limit_reached',
        message: expect.stringContaining(
          'The limit of 0.0875 EUR per month is reached: 2 of the 3 recipients would have fitted.',
        ),
        retryAfterSeconds: (Date.UTC(2026, 11, 1) - now.getTime()) / 1000,
      },
    ],
    [
      'for a bulk on messages',
      { messages: { perDay: 2 } },
      'bulk',
      {
        code: 'message_limit_reached',
        message: expect.stringContaining('1 of the 3 recipients would have fitted.'),
      },
    ],
  ])('is a 429: %s', async (_what, caps, name, refusal) => {
    const client = aClient();
    await ask(cappedSends(tables, caps).sms, { client, now, body: bodies.sms });
    await expect(
      ask(cappedSends(tables, caps)[name], { client, now, body: bodies[name] }),
    ).rejects.toMatchObject(refusal);
  });

  it('is refused although nothing was sent before, if it alone exceeds the cap', async () => {
    const client = aClient();
    const caps = { messages: { perDay: 2 } };
    await expect(
      ask(cappedSends(tables, caps).bulk, { client, now, body: bodies.bulk }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('2 of the 3 recipients would have fitted.'),
    });
    expect((await ask(cappedSends(tables, caps).sms, { client, now, body: bodies.sms })).status).toBe(202);
  });

  it.each(sendNames)('changes no table: %s', async (name) => {
    const client = aClient();
    const caps = { messages: { perDay: 1 }, spend: { perDay: 0.05 } };
    await ask(cappedSends(tables, caps).otp, { client, now, body: { to, purpose: 'earlier' } });
    // The notice of the first refusal.
    await ask(cappedSends(tables, caps).sms, { client, now, body: bodies.sms }).catch(() => undefined);
    const before = await everything();
    for (const key of [undefined, 'k']) {
      const asked: Asked = { client, now, body: bodies[name], ...(key === undefined ? {} : { key }) };
      await expect(ask(cappedSends(tables, caps)[name], asked)).rejects.toBeInstanceOf(GatewayError);
    }
    expect(await everything()).toEqual(before);
  });

  async function everything() {
    const rows: unknown[] = [];
    for (const TableName of Object.values(tables.names)) {
      const { Items = [], LastEvaluatedKey } = await tables.dynamo.send(
        new ScanCommand({ TableName, ConsistentRead: true }),
      );
      if (LastEvaluatedKey !== undefined) throw new Error(`${TableName} has more than a page`);
      rows.push(...Items.map((item) => JSON.stringify(item, Object.keys(item).toSorted())));
    }
    return rows.toSorted();
  }

  it('leaves an earlier one-time password valid, and its recipient all its sends', async () => {
    const client = aClient();
    const caps = { messages: { perHour: 1 } };
    await ask(cappedSends(tables, caps).otp, { client, now, body: bodies.otp });
    for (let tries = 0; tries < 6; tries += 1) {
      await expect(
        ask(cappedSends(tables, caps).otp, { client, now, body: bodies.otp }),
      ).rejects.toMatchObject({
        code: 'message_limit_reached',
      });
    }
    const sent = await otpSendsTo(
      storesIn(tables).context,
      { clientId: client.client_id, recipient: to },
      now,
    );
    expect(sent).toHaveLength(1);
  });
});
