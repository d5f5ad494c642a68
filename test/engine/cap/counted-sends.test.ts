/** An accepted send counts towards a cap at least once (contract 10.2 and 10.3). */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayError } from '../../../shared/contract/errors.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import {
  bodies,
  cappedSends,
  cappedTables,
  messagesOf,
  now,
  recipients,
  sendNames,
  to,
  wantedMessages,
} from '../../support/cap/capped-sends.ts';
import { millionthsOf, usedOf } from '../../support/cap/caps.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { type Kill, Killed, noKill } from '../../support/faults/kill-process.ts';
import { type Asked, aClient, ask, bytesOf } from '../../support/message/sends.ts';

let tables: TestTables;
beforeAll(async () => {
  tables = await cappedTables();
});
afterAll(() => tables.drop());

describe.each(sendNames)('what is counted for a send: %s', (name) => {
  const caps = { messages: { perMinute: 100, perMonth: 1000 }, spend: { perDay: 100 } };
  const body = bodies[name];

  async function used(clientId: string): Promise<Record<string, number>> {
    return usedOf(tables, clientId, now, caps);
  }

  async function once() {
    const spend = millionthsOf(await wantedMessages(name, body)) / 1e6;
    const messages = recipients[name];
    return { 'messages minute': messages, 'messages month': messages, 'spend day': spend };
  }

  it('is its recipients and their cost, when it is accepted, also for later', async () => {
    const client = aClient();
    const later = name === 'otp' ? {} : { scheduled_at: '2027-01-20T10:00:00Z' };
    await ask(cappedSends(tables, caps)[name], { client, now, body: { ...body, ...later } });
    expect(await used(client.client_id)).toEqual(await once());
  });

  it('is counted once for repeats, one after the other', async () => {
    const client = aClient();
    await ask(cappedSends(tables, caps)[name], { client, now, body, key: 'k' });
    await ask(cappedSends(tables, caps)[name], { client, now: addSeconds(now, 30), body, key: 'k' });
    expect(await used(client.client_id)).toEqual(await once());
  });

  it('is nothing for a repeat under a key of another request, which is refused', async () => {
    const client = aClient();
    await ask(cappedSends(tables, caps)[name], { client, now, body, key: 'k' });
    const other = { ...body, reference: 'another' };
    await expect(
      ask(cappedSends(tables, caps)[name], { client, now, body: other, key: 'k' }),
    ).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    expect(await used(client.client_id)).toEqual(await once());
  });

  it('repeats an accepted send although its cap is now full', async () => {
    const client = aClient();
    const tight = { messages: { perDay: recipients[name] } };
    const first = await ask(cappedSends(tables, tight)[name], { client, now, body, key: 'k' });
    const again = await ask(cappedSends(tables, tight)[name], { client, now, body, key: 'k' });
    expect(bytesOf(again)).toBe(bytesOf(first));
    await expect(
      ask(cappedSends(tables, tight)[name], { client, now, body, key: 'k2' }),
    ).rejects.toMatchObject({
      code: 'message_limit_reached',
    });
  });

  it('is nothing for a request that is refused for its recipient', async () => {
    const client = aClient({ countries: ['FR'] });
    const refused = name === 'bulk' ? { ...body, recipients: [to] } : body;
    await expect(ask(cappedSends(tables, caps)[name], { client, now, body: refused })).rejects.toBeInstanceOf(
      GatewayError,
    );
    expect(Object.values(await used(client.client_id))).toEqual([0, 0, 0]);
  });

  it('is at most one request more, when the process died at any call and the request is repeated', async () => {
    const undisturbed = noKill();
    await ask(cappedSends(tables, caps, undisturbed)[name], { client: aClient(), now, body, key: 'k' });
    const lost: string[] = [];
    for (let at = 0; at < undisturbed.calls; at += 1) {
      for (const when of ['before', 'after'] as const) {
        const client = aClient();
        const kill: Kill = { at, when, calls: 0 };
        const asked = { client, now, body, key: 'k' };
        await expect(ask(cappedSends(tables, caps, kill)[name], asked)).rejects.toThrow(Killed);
        const repeated = { ...asked, now: addSeconds(now, 61) };
        expect((await ask(cappedSends(tables, caps)[name], repeated)).status).toBe(202);
        const counted = (await used(client.client_id))['messages month'] ?? 0;
        expect([1, 2]).toContain(counted / recipients[name]);
        if (counted > recipients[name]) lost.push(`${when} ${at}`);
        expect(await messagesOf(tables, client.client_id)).toHaveLength(recipients[name]);
      }
    }
    // Only between the cap and the message, which are the last two calls of a password; others look for an earlier answer first.
    const take = name === 'otp' ? undisturbed.calls - 2 : 1;
    expect(lost).toEqual([`after ${take}`, `before ${take + 1}`]);
  });
});

describe('an amount that was taken', () => {
  const caps = { messages: { perDay: 100 } };

  /** The tables, whose writes of messages are changed. */
  function changingWrites(change: (write: () => Promise<unknown>) => Promise<unknown>): TestTables {
    const { dynamo, names } = tables;
    const send = (command: PutCommand) => {
      const isMessage = command instanceof PutCommand && command.input.TableName === names.messages;
      return isMessage ? change(() => dynamo.send(command)) : dynamo.send(command);
    };
    return { ...tables, dynamo: Object.assign(Object.create(dynamo), { send }) };
  }

  it('is none for a one-time password that its recipient may not get any more', async () => {
    const client = aClient();
    for (let sends = 0; sends < 5; sends += 1)
      await ask(cappedSends(tables, caps).otp, { client, now, body: bodies.otp });
    await expect(ask(cappedSends(tables, caps).otp, { client, now, body: bodies.otp })).rejects.toMatchObject(
      {
        code: 'rate_limit_exceeded',
      },
    );
    expect(await usedOf(tables, client.client_id, now, caps)).toEqual({ 'messages day': 5 });
  });

  it.each([undefined, 'k'])(
    'stays taken when nobody knows whether the message is stored (key: %s)',
    async (key) => {
      const client = aClient();
      const { sms } = cappedSends(
        changingWrites(() => Promise.reject(new Error('no response'))),
        caps,
      );
      const asked: Asked = { client, now, body: bodies.sms, ...(key === undefined ? {} : { key }) };
      await expect(ask(sms, asked)).rejects.toThrow('no response');
      expect(await usedOf(tables, client.client_id, now, caps)).toEqual({ 'messages day': 1 });
    },
  );

  it.each([['k'], [undefined]])(
    'stays taken when the SDK repeats the write of the message after a lost response (key: %s)',
    async (key) => {
      const client = aClient();
      const { sms } = cappedSends(
        changingWrites(async (write) => {
          await write();
          return write();
        }),
        caps,
      );
      const response = await ask(sms, {
        client,
        now,
        body: bodies.sms,
        ...(key === undefined ? {} : { key }),
      });
      expect(response).toMatchObject({ status: 202, headers: {} });
      expect(await usedOf(tables, client.client_id, now, caps)).toEqual({ 'messages day': 1 });
    },
  );
});

it('without a cap nothing is counted', async () => {
  const client = aClient();
  const kill = noKill();
  await ask(cappedSends(tables, {}, kill).sms, { client, now, body: bodies.sms });
  // The write of the message.
  expect(kill.calls).toBe(1);
});
