/**
 * An attempt that is taken back, because its record took too long for its place, leaves nothing in the row (contract 16.1, 16.3,
 * 16.4): reports of the one before count, also those that come while it is recorded.
 */
import { expect, it } from '@jest/globals';
import { messageError } from '../../../shared/contract/message-error-codes.ts';
import { usualOnUnknown } from '../../../shared/contract/variables.ts';
import { dispatch } from '../../../shared/message/dispatch/dispatch-message.ts';
import type { Receipt } from '../../../shared/message/dispatch/receipt-decisions.ts';
import { recordReceipts } from '../../../shared/message/dispatch/record-receipts.ts';
import type { Message } from '../../../shared/message/message.ts';
import { readMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { recordsAttempt, withCalls } from '../../support/engine/test-context.ts';
import { created } from '../../support/message/example-message.ts';
import { pacedWorld } from '../../support/message/paced-world.ts';

type Reported = Omit<Receipt['transition'], 'at'>;

const before = { number: 1, carrier: 'aws', at: addSeconds(created, -300).toISOString() };
const ofAttempt = { attempt: 1, attempts: [{ ...before, deadline: created.toISOString() }] };
const sent: Reported = { to: 'sent' };
const failed: Reported = { to: 'failed', ...messageError('unreachable') };

/** The response to the record of the next attempt is late, and these reports of the one before come meanwhile. */
async function takenBack(row: Partial<Message>, meanwhile: readonly Reported[]) {
  const world = pacedWorld();
  const [message] = await world.stored(1, {
    status: 'sending',
    handover_until: created.toISOString(),
    expires_at: addSeconds(created, 3600).toISOString(),
    ...row,
  });
  const messageId = message?.message_id ?? '';
  const report = (transition: Reported) =>
    recordReceipts(
      {
        ...world.context,
        priceOf: () => undefined,
      },
      [{ messageId, attempt: 1, transition: { ...transition, at: world.clock() } }],
      1,
    );
  world.at(addSeconds(created, 1));
  const late = withCalls(world.dependencies, async (call, run) => {
    const recorded = await run();
    if (!recordsAttempt(call)) return recorded;
    for (const transition of meanwhile) await report(transition);
    world.at(addSeconds(world.clock(), 1.2));
    return recorded;
  });
  const onUnknown = { ...usualOnUnknown, other: 'send_again' } as const;
  const dependencies = { ...late, env: { ...late.env, ON_UNKNOWN: onUnknown } };
  await dispatch(dependencies, messageId);
  expect(world.handed).toEqual([]);
  return { report, row: () => readMessage(world.context, messageId) };
}

it.each<[string, readonly Reported[], readonly Reported[], Message['status']]>([
  ['delivered afterwards', [], [{ to: 'delivered' }], 'delivered'],
  ['failed afterwards', [], [failed], 'failed'],
  ['sent meanwhile, and failed afterwards', [sent], [failed], 'failed'],
  ['sent and failed meanwhile', [sent, failed], [], 'failed'],
])('a report that the attempt before was %s counts', async (_when, meanwhile, later, reported) => {
  const { report, row } = await takenBack(ofAttempt, meanwhile);
  for (const transition of later) await report(transition);
  const { status, possible_duplicate, attempt, attempts } = (await row()) ?? {};
  expect({ status, possible_duplicate, attempt, attempts }).toEqual({ status: reported, ...ofAttempt });
});
