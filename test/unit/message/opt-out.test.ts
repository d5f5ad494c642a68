/** People who opted out get nothing more, however many messages wait for them, and whatever fails. */
import { describe, expect, it } from '@jest/globals';
import { inboundNotification } from '../../../shared/carrier/simulator/simulated-recipients.ts';
import { unassignedClientId } from '../../../shared/message/find-owner.ts';
import { receiveMessage } from '../../../shared/message/receive-message.ts';
import { optOutAtCarrier } from '../../../shared/message/suppression/suppression.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { anInbound, inMemoryReceiver, ourNumber, person } from '../../support/message/inbound.ts';
import { simulatedGateway } from '../../support/simulation/gateway.ts';

const queuedAndScheduled = 400;

function aGateway() {
  return simulatedGateway({ startAt: created, answer: () => ({ afterMs: 50, status: 200 }) });
}

function put(gateway: ReturnType<typeof aGateway>, index: number, recipient: string, inSeconds?: number) {
  const at = gateway.now();
  const text = { text: 'Hello', encoding: 'GSM-7', segments: 1 } as const;
  const message = aMessage({
    ...text,
    message_id: `msg_${index}`,
    recipient,
    created_at: at.toISOString(),
    queued_at: at.toISOString(),
  });
  if (inSeconds === undefined) return gateway.messages.create(message);
  const { queued_at: _queuedAt, ...rest } = message;
  const scheduled_at = addSeconds(at, inSeconds).toISOString();
  return gateway.messages.create({ ...rest, status: 'scheduled', scheduled_at });
}

function say(gateway: ReturnType<typeof aGateway>, text: string): void {
  const notification = { channel: 'sms', from: person, to: ourNumber, text, id: text } as const;
  gateway.world.put('receipts', inboundNotification({ ...notification, at: gateway.now() }));
}

const handedOver = (gateway: ReturnType<typeof aGateway>) => new Set(gateway.handOvers.keys());

describe('STOP', () => {
  it('while hundreds of messages wait ends them all, queued and scheduled; START allows later ones', async () => {
    const gateway = aGateway();
    // The client is known to whom the person answers.
    await put(gateway, -1, person);
    await gateway.run(60);
    say(gateway, 'STOP');
    // Some of them are claimed before STOP is stored, as it takes as long as they do.
    for (let index = 0; index < queuedAndScheduled; index += 1) {
      await put(gateway, index, person, index % 2 === 0 ? undefined : 60 + index);
    }
    await gateway.run(1);
    const stored = gateway.suppressionChanges.at(-1);
    expect(stored).toMatchObject({ isSuppressed: true });
    const before = handedOver(gateway);
    await gateway.run(7200);
    expect(handedOver(gateway)).toEqual(before);
    for (const [, seen] of gateway.handOvers) {
      for (const { claim } of seen) expect(claim.claimedAtMs).toBeLessThan(stored?.atMs ?? 0);
    }
    const failed = gateway.messages.all().filter(({ suppressed }) => suppressed === true);
    expect(failed.length + before.size).toBe(queuedAndScheduled + 1);
    expect(failed.length).toBeGreaterThanOrEqual(queuedAndScheduled / 2);
    expect(new Set(failed.map(({ error_code }) => error_code))).toEqual(new Set(['recipient_opted_out']));

    say(gateway, 'START');
    await gateway.run(60);
    for (let index = 0; index < 10; index += 1) await put(gateway, queuedAndScheduled + index, person);
    await gateway.run(60);
    expect(handedOver(gateway).size).toBe(before.size + 10);
  });
});

describe('START', () => {
  const client = 'client-a';
  const refusedAfter = async (status: object) => {
    const { dependencies, messages, suppressions } = inMemoryReceiver();
    // The carrier refused the only message of the client, which began a suppression.
    const at = created.toISOString();
    await messages.create(
      aMessage({
        client_id: client,
        recipient: person,
        status: 'failed',
        created_at: at,
        failed_at: at,
        ...status,
      }),
    );
    await optOutAtCarrier(suppressions)(aMessage({ client_id: client, recipient: person }), created);
    return { dependencies, messages, suppression: () => suppressions.get(client, person) };
  };
  const refused = { error_code: 'recipient_opted_out' };

  it('also ends what a refusal of the carrier began for a client that never reached the person', async () => {
    const { dependencies, messages, suppression } = await refusedAfter(refused);
    await receiveMessage(dependencies, anInbound({ text: 'STOP' }), 1);
    expect((await suppression())?.scope).toBe('messages');
    const start = anInbound({ text: 'START', carrierMessageId: 'start' });
    const { message } = await receiveMessage(dependencies, start, 1);
    expect(message.client_id).toBe(unassignedClientId);
    expect((await suppression())?.scope).toBeUndefined();
    const copy = messages.all().find(({ copy_of }) => copy_of === message.message_id);
    expect(copy).toMatchObject({ client_id: client, opt_keyword: 'opt_in' });
    await receiveMessage(dependencies, start, 1);
    expect(messages.all()).toHaveLength(4);
  });

  it('has no effect on a client whose message was refused for another reason, or to another number', async () => {
    for (const status of [
      { error_code: 'carrier_rejected' },
      { ...refused, suppressed: true },
      { ...refused, from: '+447418000000' },
    ]) {
      const { dependencies, suppression } = await refusedAfter(status);
      await receiveMessage(dependencies, anInbound({ text: 'START' }), 1);
      expect((await suppression())?.scope).toBe('messages');
    }
  });
});

it('of three hundred recipients, the ten who opted out get nothing, and all others their message', async () => {
  const gateway = aGateway();
  const numberOf = (index: number) => `+4477009${String(index).padStart(5, '0')}`;
  for (let index = 0; index < 300; index += 30) {
    await gateway.suppressions.change({
      client_id: 'client-a',
      recipient: numberOf(index),
      scope: 'messages',
      source: 'client',
      at: created,
      cause: 'a test',
    });
  }
  for (let index = 0; index < 300; index += 1) await put(gateway, index, numberOf(index));
  await gateway.run(600);
  const outcomes = Map.groupBy(gateway.messages.all(), ({ status, error_code }) => error_code ?? status);
  expect([...outcomes].map(([outcome, messages]) => [outcome, messages.length]).toSorted()).toEqual([
    ['delivered', 290],
    ['recipient_opted_out', 10],
  ]);
  expect(handedOver(gateway).size).toBe(290);
});
