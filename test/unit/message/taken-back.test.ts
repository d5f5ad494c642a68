/** An attempt that is taken back, because its record took longer than the slot, leaves nothing in the row (contract 16.1, 16.3). */
import { expect, it } from '@jest/globals';
import { messageError } from '../../../shared/contract/message-error-codes.ts';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { created } from '../../support/message/example-message.ts';
import { pacedWorld } from '../../support/message/paced-world.ts';

const before = { number: 1, carrier: 'aws', at: addSeconds(created, -300).toISOString() };

it.each([
  ['delivered', {}],
  ['failed', messageError('invalid_recipient')],
] as const)('so a report that the one before has %s counts', async (to, error) => {
  const world = pacedWorld();
  const [message] = await world.stored(1, {
    status: 'sending',
    handover_until: created.toISOString(),
    on_unknown: 'send_again',
    attempt: 1,
    expires_at: addSeconds(created, 3600).toISOString(),
    attempts: [{ ...before, deadline: created.toISOString() }],
  });
  const messageId = message?.message_id ?? '';
  world.at(addSeconds(created, 1));
  const recordAttempt: typeof world.messages.recordAttempt = async (...attempt) => {
    const recorded = await world.messages.recordAttempt(...attempt);
    world.at(addSeconds(world.clock(), 1.2));
    return recorded;
  };
  await dispatch({ ...world.dependencies, messages: { ...world.messages, recordAttempt } }, messageId);
  const { possible_duplicate, attempt, attempts } = (await world.messages.get(messageId)) ?? {};
  expect({ possible_duplicate, attempt, attempts: attempts?.length }).toEqual({ attempt: 1, attempts: 1 });
  const receipts = {
    messages: world.messages,
    recordOptOut: async () => true,
    contacts: { note: async () => undefined },
    priceOf: () => undefined,
  };
  await recordReceipts(
    receipts,
    [{ messageId, attempt: 1, transition: { to, at: world.clock(), ...error } }],
    1,
  );
  const row = await world.messages.get(messageId);
  expect([row?.status, row?.possible_duplicate, world.handed.length]).toEqual([to, undefined, 0]);
});
