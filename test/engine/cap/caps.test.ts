/** What caps guarantee for the four sends, on the real tables, at times of the test's own (contract, section 10). */
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StageCaps } from '../../../shared/contract/caps.ts';
import { GatewayError } from '../../../shared/contract/errors.ts';
import type { Message } from '../../../shared/message/message.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { capProcess, millionthsOf, usedOf } from '../../support/cap/caps.ts';
import { memorySends } from '../../support/doubles/memory-sends.ts';
import { randomFrom } from '../../support/doubles/seeded-random.ts';
import { createTables, type TestTables } from '../../support/engine/tables.ts';
import { type Kill, Killed, noKill } from '../../support/faults/kill-process.ts';
import {
  type Asked,
  aClient,
  ask,
  bytesOf,
  rowsOf,
  type SendName,
  sendsIn,
  storesIn,
} from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:05:17.000Z');
const to = '+447700900123';
const bodies: Record<SendName, Record<string, unknown>> = {
  sms: { to, message: 'Hello' },
  bulk: { message: 'Hello', recipients: [to, '+12065550100', '+33612345678'] },
  otp: { to },
  whatsapp: { to, message: 'Hello' },
};
const recipients: Record<SendName, number> = { sms: 1, bulk: 3, otp: 1, whatsapp: 1 };
const names = Object.keys(bodies) as SendName[];

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords', 'rate_counters', 'activity_log']);
});
afterAll(() => tables.drop());

/** The four sends of a process of its own. */
function capped(caps: StageCaps, kill: Kill = noKill()) {
  return sendsIn(tables, kill, capProcess(tables, () => caps, kill).allowanceOf);
}

async function messagesOf(clientId: string): Promise<Message[]> {
  return (await rowsOf(tables, tables.names.messages, clientId)) as unknown as Message[];
}

/** The messages that the request would store. */
async function wanted(name: SendName, body: unknown): Promise<Message[]> {
  const { operations, messages } = memorySends();
  await ask(operations[name], { client: aClient(), now, body });
  return messages.all();
}

interface Mixed {
  readonly name: SendName;
  readonly body: Record<string, unknown>;
}

/** Of each kind, and of prices from 0.0075 to some units. */
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

describe('500 sends and bulks of mixed price at once', () => {
  it.each<[string, StageCaps, (messages: readonly Message[]) => number, number, string]>([
    ['a spend cap', { spend: { perDay: 12.34 } }, millionthsOf, 12_340_000, 'spend_limit_reached'],
    [
      'a cap on messages',
      { messages: { perHour: 411 } },
      ({ length }) => length,
      411,
      'message_limit_reached',
    ],
  ])(
    'never exceed %s, and leave less of it than the cheapest refused request needs',
    async (_what, caps, amountOf, limit, code) => {
      const client = aClient();
      const processes = Array.from({ length: 20 }, () => capped(caps));
      const requests = mixedRequests(500);
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
        refused.push(amountOf(await wanted(name, body)));
      }
      expect(refused.length).toBeGreaterThan(100);
      const accepted = amountOf(await messagesOf(client.client_id));
      expect(accepted).toBeLessThanOrEqual(limit);
      expect(limit - accepted).toBeLessThan(Math.min(...refused));
      const used = Object.values(await usedOf(tables, client.client_id, now, caps));
      expect(used).toEqual([code === 'spend_limit_reached' ? accepted / 1e6 : accepted]);
    },
  );
});

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
        message: 'The limit of 1 message a minute is reached. Try again in 43 seconds.',
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
        message: `The limit of 0.05 EUR a day is reached. Try again in ${(day.getTime() - now.getTime()) / 1000} seconds.`,
      },
    ],
    [
      'for a bulk: it says how many recipients would have fitted',
      { spend: { perMonth: 0.04 + 0.04 + 0.0075 } },
      'bulk',
      {
        code: 'spend_limit_reached',
        message: expect.stringContaining(
          'The limit of 0.0875 EUR a month is reached: 2 of the 3 recipients would have fitted.',
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
    await ask(capped(caps).sms, { client, now, body: bodies.sms });
    await expect(ask(capped(caps)[name], { client, now, body: bodies[name] })).rejects.toMatchObject(refusal);
  });

  it('is refused although nothing was sent before, if it alone exceeds the cap', async () => {
    const client = aClient();
    const caps = { messages: { perDay: 2 } };
    await expect(ask(capped(caps).bulk, { client, now, body: bodies.bulk })).rejects.toMatchObject({
      message: expect.stringContaining('2 of the 3 recipients would have fitted.'),
    });
    expect((await ask(capped(caps).sms, { client, now, body: bodies.sms })).status).toBe(202);
  });

  it.each(names)('changes no table: %s', async (name) => {
    const client = aClient();
    const caps = { messages: { perDay: 1 }, spend: { perDay: 0.05 } };
    await ask(capped(caps).otp, { client, now, body: { to, purpose: 'earlier' } });
    // The notice of the first refusal.
    await ask(capped(caps).sms, { client, now, body: bodies.sms }).catch(() => undefined);
    const before = await everything();
    for (const key of [undefined, 'k']) {
      const asked: Asked = { client, now, body: bodies[name], ...(key === undefined ? {} : { key }) };
      await expect(ask(capped(caps)[name], asked)).rejects.toBeInstanceOf(GatewayError);
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
    await ask(capped(caps).otp, { client, now, body: bodies.otp });
    for (let tries = 0; tries < 6; tries += 1) {
      await expect(ask(capped(caps).otp, { client, now, body: bodies.otp })).rejects.toMatchObject({
        code: 'message_limit_reached',
      });
    }
    const { sends } = await storesIn(tables).otps.recipientSends(client.client_id, to);
    expect(sends).toHaveLength(1);
  });
});

describe.each(names)('what is counted for a send: %s', (name) => {
  const caps = { messages: { perMinute: 100, perMonth: 1000 }, spend: { perDay: 100 } };
  const body = bodies[name];

  async function used(clientId: string): Promise<Record<string, number>> {
    return usedOf(tables, clientId, now, caps);
  }

  async function once() {
    const spend = millionthsOf(await wanted(name, body)) / 1e6;
    const messages = recipients[name];
    return { 'messages minute': messages, 'messages month': messages, 'spend day': spend };
  }

  it('is its recipients and their cost, when it is accepted, also for later', async () => {
    const client = aClient();
    const later = name === 'otp' ? {} : { scheduled_at: '2027-01-20T10:00:00Z' };
    await ask(capped(caps)[name], { client, now, body: { ...body, ...later } });
    expect(await used(client.client_id)).toEqual(await once());
  });

  it('is counted once for repeats, one after the other and eight at once', async () => {
    const client = aClient();
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => ask(capped(caps)[name], { client, now, body, key: 'k' })),
    );
    const answers = results.flatMap((result) =>
      result.status === 'fulfilled' ? [bytesOf(result.value)] : [],
    );
    expect(new Set(answers).size).toBe(1);
    expect(await used(client.client_id)).toEqual(await once());
    await ask(capped(caps)[name], { client, now: addSeconds(now, 30), body, key: 'k' });
    expect(await used(client.client_id)).toEqual(await once());
  });

  it('is nothing for a repeat under a key of another request, which is refused', async () => {
    const client = aClient();
    await ask(capped(caps)[name], { client, now, body, key: 'k' });
    const other = { ...body, reference: 'another' };
    await expect(ask(capped(caps)[name], { client, now, body: other, key: 'k' })).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(await used(client.client_id)).toEqual(await once());
  });

  it('repeats an accepted send although its cap is now full', async () => {
    const client = aClient();
    const tight = { messages: { perDay: recipients[name] } };
    const first = await ask(capped(tight)[name], { client, now, body, key: 'k' });
    const again = await ask(capped(tight)[name], { client, now, body, key: 'k' });
    expect(bytesOf(again)).toBe(bytesOf(first));
    await expect(ask(capped(tight)[name], { client, now, body, key: 'k2' })).rejects.toMatchObject({
      code: 'message_limit_reached',
    });
  });

  it('is nothing for a request that is refused for its recipient', async () => {
    const client = aClient({ countries: ['FR'] });
    const refused = name === 'bulk' ? { ...body, recipients: [to] } : body;
    await expect(ask(capped(caps)[name], { client, now, body: refused })).rejects.toBeInstanceOf(
      GatewayError,
    );
    expect(Object.values(await used(client.client_id))).toEqual([0, 0, 0]);
  });

  it('is at most one request more, when the process died at any call and the request is repeated', async () => {
    const undisturbed = noKill();
    await ask(capped(caps, undisturbed)[name], { client: aClient(), now, body, key: 'k' });
    const lost: string[] = [];
    for (let at = 0; at < undisturbed.calls; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const client = aClient();
        const kill: Kill = { at, when, calls: 0 };
        const asked = { client, now, body, key: 'k' };
        await expect(ask(capped(caps, kill)[name], asked)).rejects.toThrow(Killed);
        const repeated = { ...asked, now: addSeconds(now, 61) };
        expect((await ask(capped(caps)[name], repeated)).status).toBe(202);
        const counted = (await used(client.client_id))['messages month'] ?? 0;
        expect([1, 2]).toContain(counted / recipients[name]);
        if (counted > recipients[name]) lost.push(`${when} ${at}`);
        expect(await messagesOf(client.client_id)).toHaveLength(recipients[name]);
      }
    }
    // Calls in the order of time: the look for an earlier answer, the cap, whatever is stored before the message.
    const storing = name === 'otp' ? undisturbed.calls - 1 : 2;
    const between = Array.from({ length: storing - 1 }, (_, index) => [
      `after ${index + 1}`,
      `before ${index + 2}`,
    ]);
    expect(lost).toEqual(between.flat());
  });
});

describe('an amount that was taken', () => {
  const caps = { messages: { perDay: 100 } };

  it('is given back for a one-time password that its recipient may not get any more', async () => {
    const client = aClient();
    for (let sends = 0; sends < 5; sends += 1) await ask(capped(caps).otp, { client, now, body: bodies.otp });
    await expect(ask(capped(caps).otp, { client, now, body: bodies.otp })).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
    });
    expect(await usedOf(tables, client.client_id, now, caps)).toEqual({ 'messages day': 5 });
  });

  it.each([undefined, 'k'])(
    'stays taken when nobody knows whether the message is stored (key: %s)',
    async (key) => {
      const client = aClient();
      const { allowanceOf } = capProcess(tables, () => caps);
      const stores = storesIn(tables);
      const timedOut = async (): Promise<never> => {
        throw new Error('no answer from the table');
      };
      const { sms } = sendsIn(tables, noKill(), allowanceOf, { ...stores.messages, create: timedOut });
      const asked: Asked = { client, now, body: bodies.sms, ...(key === undefined ? {} : { key }) };
      await expect(ask(sms, asked)).rejects.toThrow('no answer');
      expect(await usedOf(tables, client.client_id, now, caps)).toEqual({ 'messages day': 1 });
    },
  );

  it('stays taken when the SDK repeats the write of the message after a lost answer', async () => {
    const client = aClient();
    const { allowanceOf } = capProcess(tables, () => caps);
    const { messages } = storesIn(tables);
    const create: typeof messages.create = async (message) => {
      await messages.create(message);
      return messages.create(message);
    };
    const { sms } = sendsIn(tables, noKill(), allowanceOf, { ...messages, create });
    const answer = await ask(sms, { client, now, body: bodies.sms, key: 'k' });
    expect(answer).toMatchObject({ status: 202, headers: {} });
    expect(await usedOf(tables, client.client_id, now, caps)).toEqual({ 'messages day': 1 });
  });
});

it('without a cap nothing is counted', async () => {
  const client = aClient();
  const kill = noKill();
  const { allowanceOf } = capProcess(tables, () => ({}), kill);
  await ask(sendsIn(tables, noKill(), allowanceOf).sms, { client, now, body: bodies.sms });
  expect(kill.calls).toBe(0);
});
