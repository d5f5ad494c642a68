/** A next leg whose queue message comes late, or after an earlier leg was delivered, starts nothing and counts nothing. */

import { expect, it } from '@jest/globals';
import { earlierLegIds, nextLegOf } from '../../../shared/message/dispatch/fallback.ts';
import { startNextLeg } from '../../../shared/message/dispatch/start-next-leg.ts';
import type { Message } from '../../../shared/message/message.ts';
import { claimMessage, transitionMessage } from '../../../shared/message/store/message-changes.dynamo.ts';
import { createMessage, readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { otpLegs } from '../../../shared/otp/otp-hand-over.ts';
import { otpSendsTo } from '../../../shared/otp/otp-store.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { aClient, ask, sendsIn } from '../../support/message/sends.ts';

const daySeconds = 86_400;

function world() {
  const stores = inMemoryStores();
  const { context } = stores;
  let taken = 0;
  let at = created;
  const clock = () => at;
  const dependencies = {
    ...context,
    takeFromCaps: async () => {
      taken += 1;
    },
    otpLegs: otpLegs({ ...context, clock }),
    clock,
    newId: () => 'work',
  };
  return {
    ...stores,
    taken: () => taken,
    async start(id: string, seconds: number) {
      at = addSeconds(created, seconds);
      return (await startNextLeg(dependencies, (await readMessage(context, id)) as Message)).outcome;
    },
  };
}

it.each([
  ['failed', { status: 'failed', failed_at: created.toISOString(), error_code: 'unreachable' }, 0],
  ['was not delivered in time', { status: 'sent', sent_at: created.toISOString() }, 30],
] as const)(
  'a leg after one that %s starts within a day after it was due',
  async (_what, state, dueSeconds) => {
    const fallback: Message['fallback'] = [{ channel: 'sms', text: 'Hello', after_seconds: 30 }];
    for (const [lateSeconds, outcome] of [
      [daySeconds, 'leg_started'],
      [daySeconds + 1, 'no_leg_needed'],
      [4 * daySeconds, 'no_leg_needed'],
    ] as const) {
      const { context, messages, start, taken } = world();
      const first = aMessage({ ...state, fallback });
      await createMessage(context, first);
      expect(await start(first.message_id, dueSeconds + lateSeconds)).toBe(outcome);
      const isStarted = outcome === 'leg_started';
      expect([messages.all().length, taken()]).toEqual(isStarted ? [2, 1] : [1, 0]);
    }
  },
);

it.each(['expired', 'queued', 'sent'] as const)(
  'no leg starts where it is found days late that the message before is over, which is %s',
  async (status) => {
    const { context, messages, start, taken } = world();
    const lateAt = addSeconds(created, 4 * daySeconds).toISOString();
    const first = aMessage({
      status,
      queued_at: lateAt,
      sent_at: lateAt,
      fallback: [{ channel: 'sms', text: 'Hello', after_seconds: 30 }],
      expires_at: addSeconds(created, 3600).toISOString(),
      ...(status === 'expired' ? { expired_at: lateAt } : {}),
    });
    await createMessage(context, first);
    expect(await start(first.message_id, 4 * daySeconds + 40)).toBe('no_leg_needed');
    expect([messages.all().length, taken()]).toEqual([1, 0]);
  },
);

/** Sends a one-time password with two further legs. */
async function sentOtp({ messages, tables }: ReturnType<typeof world>) {
  const operation = sendsIn(tables).otp;
  const client = aClient();
  const to = '+447700900123';
  const fallback = [{ channel: 'sms', after_seconds: 30 }, { channel: 'sms' }];
  await ask(operation, { client, now: created, body: { to, fallback } });
  const first = messages.all()[0] as Message;
  return { first, recipient: { clientId: client.client_id, recipient: to } };
}

it('a leg of a one-time password counts for nobody where a leg before the last one was delivered late', async () => {
  const stores = world();
  const { context, messages, start, taken } = stores;
  const { first, recipient } = await sentOtp(stores);
  expect(await start(first.message_id, 30)).toBe('leg_started');
  const second = messages.all().find(({ leg }) => leg === 2) as Message;
  const third = nextLegOf(second, created, (text) => text);
  expect(earlierLegIds(third as Message)).toEqual([first.message_id, second.message_id]);
  const at = addSeconds(created, 40);
  await claimMessage(context, first, { claimId: 'claim', at });
  await transitionMessage(context, first.message_id, { to: 'delivered', at, reported: true });
  await transitionMessage(context, second.message_id, {
    to: 'failed',
    at,
    notSent: true,
    errorCode: 'not_needed',
  });
  const before = [await otpSendsTo(context, recipient, created), taken()];
  for (const seconds of [41, 100, 160]) expect(await start(second.message_id, seconds)).toBe('no_leg_needed');
  expect([await otpSendsTo(context, recipient, created), taken()]).toEqual(before);
  expect(
    messages
      .all()
      .map(({ status }) => status)
      .toSorted(),
  ).toEqual(['delivered', 'failed']);
});
