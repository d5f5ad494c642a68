/**
 * A leg takes from the client's caps once, also where a receipt that is written at the same moment keeps cancelling the
 * transaction that stores it, so that the queue delivers the message again (contract 10.2).
 */

import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { expect, it } from '@jest/globals';
import { startNextLeg } from '../../../shared/message/dispatch/start-next-leg.ts';
import { otpLegs } from '../../../shared/otp/otp-legs.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { aMessage, created } from '../../support/message/example-message.ts';

const cancelled = new TransactionCanceledException({
  $metadata: {},
  message: 'Transaction cancelled',
  CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
});

it.each([
  ['each try is cancelled, so that nothing is stored', [cancelled, cancelled, cancelled, cancelled], 1],
  ['the result of one try is unknown', [cancelled, new Error('socket hang up'), cancelled, cancelled], 2],
])('%s', async (_case, failures, takenInAll) => {
  const waiting = [...failures];
  const { messages, otps } = inMemoryStores(
    inMemoryTables({
      around({ operation }, run) {
        const failure = operation === 'TransactWriteItems' ? waiting.shift() : undefined;
        if (failure !== undefined) throw failure;
        return run();
      },
    }),
  );
  let taken = 0;
  const clock = () => addSeconds(created, 60);
  const dependencies = {
    messages,
    allowanceOf: async () => {
      let own = 0;
      return {
        async take() {
          own += 1;
          taken += 1;
        },
        check: async () => {},
        async giveBack() {
          taken -= own;
          own = 0;
        },
      };
    },
    otpLegs: otpLegs({ otps, assertNotHeld: async () => {}, clock }),
    clock,
    newWorkId: () => `work ${waiting.length}`,
    sleep: async () => {},
  };
  const first = aMessage({
    status: 'sent',
    sent_at: created.toISOString(),
    fallback: [{ channel: 'sms', text: 'Hello', after_seconds: 30 }],
  });
  await messages.create(first);
  await expect(startNextLeg(dependencies, first.message_id)).rejects.toThrow();
  // The queue delivers the message again.
  expect((await startNextLeg(dependencies, first.message_id)).outcome).toBe('leg_started');
  expect(taken).toBe(takenInAll);
});
