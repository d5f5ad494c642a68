/** What the carrier's answers make of a message, on the real table, at times of the test's own. */

import { type DynamoDBDocumentClient, type GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isClientDisabled } from '../../../shared/client/client-store.dynamo.ts';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import { eventsToSend } from '../../../shared/message/message.ts';
import { transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { findMessageByCarrierId } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { newId } from '../../../shared/platform/ids.ts';
import { storesIn } from '../../support/engine/stores.ts';
import { createTables } from '../../support/engine/tables.ts';
import { entersState, testContext, withCalls } from '../../support/engine/test-context.ts';
import type { TestTables } from '../../support/engine/test-tables.ts';
import { accepted } from '../../support/message/attempt-world.ts';
import { handOversIn } from '../../support/message/hand-overs.ts';
import { aClient } from '../../support/message/sends.ts';

const start = new Date('2026-11-20T10:00:00.000Z');
let now = start;
const clock = (): Date => now;

let tables: TestTables;
beforeAll(async () => {
  tables = await createTables([
    'messages',
    'batches',
    'one_time_passwords',
    'clients',
    'suppressions',
    'whatsapp_windows',
  ]);
});
afterAll(() => tables.drop());

const { carrierOf, sent, stored } = handOversIn(() => tables, clock);

describe('a receipt that beats the carrier’s own response', () => {
  it.each(['sms', 'whatsapp'] as const)(
    'leaves the message findable and priced by the response all the same: %s',
    async (channel) => {
      const { message_id } = await sent({}, channel);
      const { context } = storesIn(tables);
      const carrierMessageId = `late-${channel}`;
      const { dependencies } = carrierOf(async () => {
        await transitionMessage(context, message_id, { to: 'delivered', at: now });
        return { ...accepted, carrierMessageId };
      });
      await dispatch(dependencies, message_id);
      expect(await stored(message_id)).toMatchObject({
        status: 'delivered',
        carrier_message_id: carrierMessageId,
        cost: 0.01,
        currency: 'USD',
      });
      const found = await findMessageByCarrierId(context, carrierMessageId);
      expect(found).toBe(message_id);
    },
  );

  it('stores the price of the receipt, which is the actual one', async () => {
    const { message_id } = await sent();
    const { dependencies } = carrierOf(async () => {
      const price = { cost: 0.005, currency: 'EUR', carrierMessageId: 'from-receipt' };
      await transitionMessage(testContext(tables), message_id, { to: 'delivered', at: now, ...price });
      return accepted;
    });
    await dispatch(dependencies, message_id);
    expect(await stored(message_id)).toMatchObject({
      cost: 0.005,
      currency: 'EUR',
      carrier_message_id: 'from-receipt',
    });
  });
});

describe('a table that refuses the result of the hand-over for a while', () => {
  it.each([
    ['sent', accepted],
    ['failed', { outcome: 'refused', errorCode: 'unreachable', errorMessage: 'Not there.' }],
  ] as const)('has no message handed over again, which is %s then', async (status, response) => {
    const { message_id } = await sent();
    const { dependencies, handed } = carrierOf(() => response);
    let failures = 3;
    const throttled = withCalls(dependencies, async (call, run) => {
      if (entersState(call)) failures -= 1;
      if (entersState(call) && failures >= 0) throw new Error('throttled');
      return run();
    });
    await dispatch(throttled, message_id);
    expect(handed).toHaveLength(1);
    expect((await stored(message_id)).status).toBe(status);
  });
});

describe('a carrier that does not take the message', () => {
  it('has it again after longer and longer waits, until the message expires, and not after', async () => {
    now = start;
    const { message_id } = await sent({ validity_period: 3600 });
    const { dependencies, handed, requeued } = carrierOf(() => ({
      outcome: 'throttled',
      reason: 'slow down',
    }));
    const waits: number[] = [];
    let outcome = '';
    for (let shown = 0; shown < 1000 && outcome !== 'expired'; shown += 1) {
      const result = await dispatch(dependencies, message_id);
      outcome = result.outcome;
      // Nothing waits as a message that was received and not deleted: SQS allows few of those.
      expect(result.retryAfterSeconds).toBeUndefined();
      waits.push(result.requeuedForSeconds ?? 0);
      now = addSeconds(now, result.requeuedForSeconds ?? 0);
    }
    expect(waits.slice(0, 10)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(outcome).toBe('expired');
    const { client_id: clientId } = await stored(message_id);
    expect(requeued).toEqual(
      waits
        .slice(0, -1)
        .map((delaySeconds) => ({ messageId: message_id, clientId, kind: 'single', delaySeconds })),
    );
    expect(await stored(message_id)).toMatchObject({ status: 'expired', error_code: 'expired' });
    for (const { at } of handed) expect(at < addSeconds(start, 3600)).toBe(true);
    now = start;
  });

  it('gets a message once that was queued again by a process that then died', async () => {
    now = start;
    const { message_id } = await sent();
    const { dependencies, handed } = carrierOf(() =>
      handed.length === 1 ? { outcome: 'throttled', reason: 'slow down' } : accepted,
    );
    await dispatch(dependencies, message_id);
    // The message that was received comes back, and the one that was made of it comes too.
    for (const seconds of [1, 2]) {
      now = addSeconds(start, seconds);
      await dispatch(dependencies, message_id);
    }
    expect(handed).toHaveLength(2);
    expect((await stored(message_id)).status).toBe('sent');
    now = start;
  });

  it('fails it where its channel was turned off after it was accepted', async () => {
    const { message_id } = await sent();
    const { dependencies } = carrierOf(() => accepted);
    await dispatch({ ...dependencies, carriersFor: () => [] }, message_id);
    expect(await stored(message_id)).toMatchObject({ status: 'failed', error_code: 'channel_off' });
  });

  it('fails it for good where it refuses, and says why', async () => {
    const { message_id } = await sent();
    const refusal = { errorCode: 'carrier_blocked', errorMessage: 'Blocked.' } as const;
    const { dependencies } = carrierOf(() => ({ outcome: 'refused', ...refusal }));
    expect(await dispatch(dependencies, message_id)).toMatchObject({
      outcome: 'refused',
      errorCode: 'carrier_blocked',
    });
    expect(await stored(message_id)).toMatchObject({ status: 'failed', error_code: 'carrier_blocked' });
    expect((await dispatch(dependencies, message_id)).outcome).toBe('nothing_to_do');
  });
});

describe('a client that was disabled', () => {
  const disabled = new Set<string>();
  const isDisabled = async (clientId: string) => disabled.has(clientId);

  it.each(['sms', 'whatsapp'] as const)(
    'has no %s handed to a carrier until it is enabled again',
    async (channel) => {
      const client = aClient();
      const [first, second] = [await sent({}, channel, client), await sent({}, channel, client)];
      const { dependencies, handed } = carrierOf(() => accepted);
      disabled.add(client.client_id);
      const refused = await dispatch({ ...dependencies, isDisabled }, first.message_id);
      expect(refused.outcome).toBe('client_disabled');
      const failed = await stored(first.message_id);
      expect(failed).toMatchObject({ status: 'failed', error_code: 'client_disabled' });
      expect(eventsToSend({ before: undefined, after: failed })).toEqual(['failed']);
      disabled.delete(client.client_id);
      await dispatch({ ...dependencies, isDisabled }, second.message_id);
      expect(handed.map(({ messageId }) => messageId)).toEqual([second.message_id]);
      expect((await dispatch({ ...dependencies, isDisabled }, first.message_id)).outcome).toBe(
        'nothing_to_do',
      );
    },
  );

  it('is known within a minute, at one read for all of its messages, whatever else its row holds', async () => {
    const client_id = newId('msg', now);
    const put = (row: object) =>
      tables.dynamo.send(new PutCommand({ TableName: tables.names.clients, Item: { client_id, ...row } }));
    let reads = 0;
    const counting = {
      send: (command: GetCommand) => {
        reads += 1;
        return tables.dynamo.send(command);
      },
    } as unknown as DynamoDBDocumentClient;
    now = start;
    const context = testContext({ dynamo: counting, names: tables.names }, { clock });
    const known = (id: string) => isClientDisabled(context, id);
    await put({ disabled: false, secrets: 'spoilt by hand' });
    for (let asked = 0; asked < 5; asked += 1) expect(await known(client_id)).toBe(false);
    expect(reads).toBe(1);
    await put({ disabled: true });
    now = addSeconds(start, 60);
    expect(await known(client_id)).toBe(true);
    now = start;
  });
});
