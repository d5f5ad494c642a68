/** A client's list of messages: all of them, each once, newest first, whatever the page size. */

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../../../shared/client/client.ts';
import { clientIdIn } from '../../../shared/contract/mode.ts';
import { listMessages } from '../../../shared/message/list-own-messages.ts';
import type { Message } from '../../../shared/message/message.ts';
import { createMessage, createMessages } from '../../../shared/message/store/messages.dynamo.ts';
import type { Operation } from '../../../shared/operation/operation.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { createTables } from '../../support/engine/tables.ts';
import { testContext, withCalls } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { aClient, ask, sendsIn } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:00:00.000Z');

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables(['messages', 'batches', 'one_time_passwords']);
});
afterAll(() => tables.drop());

interface BatchGet {
  readonly Keys: readonly { readonly message_id: string }[];
  readonly ProjectionExpression?: string;
}

interface Listed {
  readonly messages: readonly { readonly message_id: string; readonly created_at: string }[];
  readonly next_cursor?: string;
}

async function list(client: Client, query: Record<string, string> = {}): Promise<Listed> {
  const operation = listMessages(testContext(tables));
  const response = await ask(operation, { client, now, query });
  expect(response.status).toBe(200);
  return response.body as Listed;
}

async function sms(client: Client, at: Date, body: object = {}): Promise<string> {
  const asked = { client, now: at, body: { to: '+447700900123', message: 'Hi', ...body } };
  const response = await ask(sendsIn(tables).sms, asked);
  return (response.body as { message_id: string }).message_id;
}

const ids = (listed: Listed) => listed.messages.map(({ message_id }) => message_id);

async function pages(client: Client, query: Record<string, string>): Promise<string[][]> {
  const seen: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = await list(client, { ...query, ...(cursor === undefined ? {} : { cursor }) });
    seen.push(ids(page));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return seen;
}

describe('pages', () => {
  it('hold every message once, newest first, also those of one millisecond', async () => {
    const client = aClient();
    await sms(aClient(), now);
    const sent: { readonly id: string; readonly at: Date }[] = [];
    for (const second of [0, 1, 2]) {
      const at = addSeconds(now, second);
      const together = await Promise.all(Array.from({ length: 7 }, () => sms(client, at)));
      sent.push(...together.map((id) => ({ id, at })));
    }
    for (const limit of ['1', '2', '7', '10', '20', '21', '22', '100']) {
      const seen = await pages(client, { limit });
      const all = seen.flat();
      expect(all).toHaveLength(21);
      expect(new Set(all)).toEqual(new Set(sent.map(({ id }) => id)));
      const times = all.map((id) => sent.find((one) => one.id === id)?.at.getTime() ?? 0);
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      expect(seen).toHaveLength(Math.ceil(21 / Number(limit)));
    }
  });

  it('are 20 long where no limit is given, and the last has no cursor', async () => {
    const client = aClient();
    for (let n = 0; n < 21; n += 1) await sms(client, now);
    const first = await list(client);
    expect(first.messages).toHaveLength(20);
    const second = await list(client, { cursor: first.next_cursor ?? '' });
    expect(second.messages).toHaveLength(1);
    expect(second).not.toHaveProperty('next_cursor');
    expect(await list(aClient())).toEqual({ messages: [] });
  });
});

describe('filters', () => {
  it('are by reference, status, channel and time (both ends included), separately and combined', async () => {
    const client = aClient();
    const early = await sms(client, now, { reference: 'a' });
    const middle = await sms(client, addSeconds(now, 1), { reference: 'b' });
    const late = await sms(client, addSeconds(now, 2), { reference: 'a' });
    const scheduled_at = addSeconds(now, 600).toISOString();
    const scheduled = await sms(client, addSeconds(now, 3), { scheduled_at });
    const { body } = await ask(sendsIn(tables).whatsapp, {
      client,
      now: addSeconds(now, 4),
      body: { to: '+447700900123', message: 'Hi', reference: 'a' },
    });
    const { message_id: whatsapp } = body as { message_id: string };
    const at = (seconds: number) => addSeconds(now, seconds).toISOString();
    const cases: [Record<string, string>, string[]][] = [
      [{}, [whatsapp, scheduled, late, middle, early]],
      [{ reference: 'a' }, [whatsapp, late, early]],
      [{ reference: 'none' }, []],
      [{ status: 'scheduled' }, [scheduled]],
      [{ channel: 'whatsapp' }, [whatsapp]],
      [{ channel: 'sms', reference: 'a' }, [late, early]],
      [{ since: at(1), until: at(2) }, [late, middle]],
      [{ since: at(2) }, [whatsapp, scheduled, late]],
      [{ until: at(0) }, [early]],
      [{ since: '2026-11-20T11:00:01+01:00', until: at(1) }, [middle]],
      [{ since: at(3), until: at(1) }, []],
      [{ reference: 'a', until: at(3), limit: '1' }, [late, early]],
      // With their offsets these lie before the first year and after the last that four digits can name.
      [{ since: '0000-01-01T00:00:00+01:00', until: at(0) }, [early]],
      [{ until: '0000-01-01T00:00:00+01:00' }, []],
      [{ since: at(3), until: '9999-12-31T23:59:59-01:00' }, [whatsapp, scheduled]],
      [{ since: '9999-12-31T23:59:59-01:00' }, []],
    ];
    for (const [query, expected] of cases) expect((await pages(client, query)).flat()).toEqual(expected);
  });

  it('are by recipient: only the messages of this client and mode, each on one page', async () => {
    const { client_id } = aClient();
    const to = '+447700900199';
    const store = async (second: number, more: Partial<Message>): Promise<string> => {
      const at = addSeconds(now, second);
      const message_id = newId('msg', at);
      const row = { message_id, client_id, recipient: to, created_at: at.toISOString(), ...more };
      await createMessage(testContext(tables), aMessage(row));
      return message_id;
    };
    const others = [
      { client_id: aClient().client_id },
      { client_id: clientIdIn('test', client_id) },
      { recipient: '+447700900198' },
    ] as const;
    const own: string[] = [];
    for (let second = 0; second < 5; second += 1) {
      own.unshift(await store(second, { reference: 'a' }));
      for (const more of others) await store(second, more);
    }
    const inbound = await store(9, { direction: 'inbound', status: 'received' });
    const client = aClient({ client_id });
    const number = ' 44 (0)7700 900-199';
    expect(await pages(client, { to: number, limit: '2' })).toEqual([
      own.slice(0, 2),
      own.slice(2, 4),
      own.slice(4),
    ]);
    const cases: [Record<string, string>, string[]][] = [
      [{ direction: 'inbound' }, [inbound]],
      [{ direction: 'all' }, [inbound, ...own]],
      [{ status: 'sent' }, []],
      [{ reference: 'a', limit: '1' }, own],
      [{ since: addSeconds(now, 3).toISOString() }, own.slice(0, 2)],
    ];
    for (const [query, expected] of cases)
      expect((await pages(client, { to, ...query })).flat()).toEqual(expected);
  });

  it.each([
    [{ to: '07700 900123' }, 'to'],
    [{ limit: '0' }, 'limit'],
    [{ limit: '101' }, 'limit'],
    [{ limit: 'ten' }, 'limit'],
    [{ limit: '0x10' }, 'limit'],
    [{ limit: '1e1' }, 'limit'],
    [{ limit: ' 5' }, 'limit'],
    [{ status: 'lost' }, 'status'],
    [{ channel: 'fax' }, 'channel'],
    [{ since: 'yesterday' }, 'since'],
    [{ until: '2026-11-20' }, 'until'],
    [{ cursor: 'bm9uZQ' }, 'cursor'],
  ])('refuse %j', async (query, field) => {
    await expect(list(aClient(), query as Record<string, string>)).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ field }],
    });
  });
});

describe('a filter that few messages pass', () => {
  const client = aClient();
  const stored = new Map(
    Array.from({ length: 2400 }, (_, index) => {
      const at = addSeconds(now, -index);
      const row = aMessage({
        message_id: newId('msg', at),
        client_id: client.client_id,
        created_at: at.toISOString(),
        status: index % 240 === 0 ? 'read' : 'sent',
      });
      return [row.message_id, row] as const;
    }),
  );

  const listed = testContext();
  beforeAll(() => createMessages(listed, [...stored.values()]));

  /** A list in memory that counts the calls and the whole rows; `old` is what a reading of a moment ago shows. */
  function counting(old: (row: Message) => Message | undefined = (row) => row) {
    const counted = { calls: 0, wholeRows: 0 };
    const counts = withCalls(listed, async ({ operation, input }, run) => {
      if (operation !== 'BatchGet') return run();
      const { messages } = input.RequestItems as { messages: BatchGet };
      counted.calls += 1;
      if (messages.ProjectionExpression === undefined) {
        counted.wholeRows += messages.Keys.length;
        return run();
      }
      const rows = messages.Keys.flatMap(({ message_id }) => old(stored.get(message_id) as Message) ?? []);
      return { Responses: { messages: rows } };
    });
    const operation = listMessages(counts);
    return { operation, counted };
  }

  const allRead = [...stored.values()].filter(({ status }) => status === 'read').map((row) => row.message_id);

  async function allPages(operation: Operation, afterEach: () => void): Promise<string[]> {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { status: 'read', limit: '1', ...(cursor === undefined ? {} : { cursor }) };
      const { body } = await ask(operation, { client, now, query });
      afterEach();
      seen.push(...ids(body as Listed));
      cursor = (body as Listed).next_cursor;
    } while (cursor !== undefined);
    return seen;
  }

  it('costs a page a dozen calls and few whole rows, however small the page, and misses none', async () => {
    const { operation, counted } = counting();
    const seen = await allPages(operation, () => {
      expect(counted.calls).toBeLessThanOrEqual(13);
      expect(counted.wholeRows).toBeLessThanOrEqual(10);
      counted.calls = 0;
      counted.wholeRows = 0;
    });
    expect(seen).toEqual(allRead);
  });

  it('uses the row itself where an eventually consistent read misses it or shows an older state', async () => {
    const wasRead = new Set([...stored.keys()].filter((_, index) => index % 60 === 1));
    const { operation } = counting((row) => {
      if (row.status === 'read') return undefined;
      return wasRead.has(row.message_id) ? { ...row, status: 'read' } : row;
    });
    expect(await allPages(operation, () => undefined)).toEqual(allRead);
  });
});
