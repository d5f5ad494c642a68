/** Whoever opted out gets nothing more, however many messages wait for them, and whatever fails. */
import { describe, expect, it } from '@jest/globals';
import { inboundNotification } from '../../../shared/carrier/simulator/simulated-inbound.ts';
import type { SuppressionStore } from '../../../shared/message/suppression/suppression-store.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { ourNumber, person } from '../../support/message/inbound.ts';
import { runInbound } from '../../support/message/inbound-run.ts';
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

describe('with faults', () => {
  it('no message of a person is lost or doubled, and none is sent after STOP', async () => {
    const { violations, counts } = await runInbound({ seed: 11, total: 150, skewMaxMs: 120_000 });
    expect(violations).toEqual([]);
    for (const what of [
      'sms.received',
      'recipient.opted_out',
      'last wishes',
      'hand-overs',
      'failed because the recipient opted out',
    ])
      expect(counts[what]).toBeGreaterThan(5);
  });

  it.each<[string, (store: SuppressionStore) => SuppressionStore, RegExp]>([
    ['that are not read', (store) => ({ ...store, get: async () => undefined }), /was sent after STOP/],
    [
      'of which the last to arrive wins',
      (store) => ({
        ...store,
        change: (change) =>
          store.change({ ...change, at: new Date(change.at.getTime() + 1e12 * ++arrivals) }),
      }),
      /the last word is/,
    ],
  ])('suppressions %s are noticed', async (_how, brokenSuppressions, violation) => {
    const { violations } = await runInbound({ seed: 11, total: 80, skewMaxMs: 0, brokenSuppressions });
    expect(violations.some((each) => violation.test(each))).toBe(true);
  });
});

let arrivals = 0;
