/** A message at its end whose carrier is asked: what the answer, or its absence, has it become (contract 6.4, 16.7). */

import { describe, expect, it } from '@jest/globals';
import { dispatchQueued } from '../../../shared/message/dispatch/dispatch-message.ts';
import { type OutboundEntry, queuedMessageOf } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { createMessage, readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { outboundSqs, withCalls } from '../../support/engine/test-context.ts';
import { accepted, attemptWorld as world } from '../../support/message/attempt-world.ts';
import { dueRuns } from '../../support/message/due-runs.ts';
import { aMessage, created, onlyCarrier } from '../../support/message/example-message.ts';
import { pacedWorld } from '../../support/message/paced-world.ts';

const end = addSeconds(created, 3600);

/** One question: an answer, which may not be written, or undefined where the carrier could not be asked. */
type Answer = 'sent' | 'delivered' | 'delivered, not written' | 'nothing' | undefined;

async function runsAfter(firstRunSeconds: number, answers: readonly Answer[]) {
  const { context, tables } = inMemoryStores();
  const at = created.toISOString();
  const attempt = { number: 1, carrier: 'twilio', at, deadline: at, outcome: 'accepted' } as const;
  const sent = {
    status: 'sent',
    created_at: at,
    queued_at: at,
    sent_at: at,
    carrier_message_id: 'SM1',
  } as const;
  const message_id = 'msg_asked';
  await createMessage(
    context,
    aMessage({ message_id, ...sent, expires_at: end.toISOString(), attempts: [attempt] }),
  );
  const queue: OutboundEntry[] = [];
  let now = end;
  let asked = 0;
  const throttled = withCalls(context, async ({ input }, run) => {
    const isThrottled = answers[Math.min(asked, answers.length) - 1] === 'delivered, not written';
    if (isThrottled && input.ExpressionAttributeValues?.[':to'] === 'delivered')
      throw new Error('DynamoDB throttles');
    return run();
  });
  const carriersFor = onlyCarrier({
    name: 'twilio',
    handOver: () => Promise.reject(new Error('It is not handed over again.')),
    async lookup() {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (answer === undefined) throw new Error('Twilio responded 503');
      if (answer === 'nothing') return undefined;
      const to = answer === 'sent' ? 'sent' : 'delivered';
      const reported = { to, at: now, carrierMessageId: 'SM1' } as const;
      return {
        carrierMessageId: 'SM1',
        receipt: { attempt: 1, carrierMessageId: 'SM1', transition: reported },
      };
    },
  });
  const { dependencies } = pacedWorld();
  const worker = {
    ...dependencies,
    ...throttled,
    sqs: outboundSqs((entry) => queue.push(entry)),
    carriersFor,
    clock: () => now,
  };
  const due = dueRuns(tables, () => now);
  for (let minute = 0; minute < 30; minute += 1) {
    now = addSeconds(end, firstRunSeconds + 60 * minute);
    // A worker is free.
    for (const entry of [...queue.splice(0), ...(await due.run())])
      await dispatchQueued(worker, queuedMessageOf(entry));
    const row = await readMessage(context, message_id);
    if (row?.status !== 'sent')
      return { status: row?.status, asked, minutes: Math.ceil((now.getTime() - end.getTime()) / 60_000) };
  }
  return { status: 'sent', asked, minutes: 30 };
}

it.each<[string, readonly Answer[], object]>([
  ['knows nothing', ['nothing'], { status: 'expired', asked: 1, minutes: 1 }],
  ['has sent it, and knows no more', ['sent'], { status: 'expired', asked: 1, minutes: 1 }],
  ['has delivered it', ['delivered'], { status: 'delivered', asked: 1, minutes: 1 }],
  [
    'cannot be asked at first',
    [undefined, undefined, 'delivered'],
    { status: 'delivered', asked: 3, minutes: 2 },
  ],
  ['can never be asked', [undefined], { status: 'expired', minutes: 16 }],
  [
    'has delivered it, which cannot be written at first',
    ['delivered, not written', 'delivered'],
    { status: 'delivered', asked: 2, minutes: 2 },
  ],
  [
    'has delivered it, which can never be written',
    ['delivered, not written'],
    { status: 'expired', minutes: 16 },
  ],
])('a message whose carrier %s', async (_carrier, answers, expected) => {
  expect(await runsAfter(20, answers)).toMatchObject(expected);
});

it.each([59, 61, 960, 7200])(
  'a message at which a worker looks %d s after its end is asked about',
  async (seconds) => {
    expect(await runsAfter(seconds, ['delivered'])).toMatchObject({ status: 'delivered', asked: 1 });
  },
);

describe('of several attempts that carriers may have', () => {
  it.each([
    ['a carrier whose response was lost is asked, and has delivered it', true, 'delivered'],
    ['a carrier whose response was lost is asked, and knows nothing of it', false, 'expired'],
  ])('%s, before the message expires', async (_what, isKnown, status) => {
    const { until, show, known, row, lookups } = await world({ one: ['lost'] }, { onUnknown: 'wait' });
    await until(10);
    const { message_id } = await row();
    if (isKnown) known.add(`${message_id}.1`);
    await until(3601);
    await show();
    expect(lookups).toEqual([`${message_id}.1`]);
    expect((await row()).status).toBe(status);
  });

  it('the one that a receipt proves is asked about before the message expires, by its carrier’s id', async () => {
    const { until, report, show, lookups } = await world(
      { one: ['lost'], two: ['lost'] },
      { onUnknown: 'send_again' },
    );
    await until(400);
    await report(1, 'sent');
    await until(3600);
    await show();
    expect(lookups).toContainEqual(expect.stringMatching(/\.1$/));
  });

  it('one whose carrier is asked after the end, and knows nothing, expires at once', async () => {
    const { until, row, show } = await world({ one: [accepted] });
    await until(3700);
    expect((await row()).status).toBe('sent');
    await show();
    expect((await row()).status).toBe('expired');
  });
});
