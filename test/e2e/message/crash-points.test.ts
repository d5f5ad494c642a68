import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createGround, type Ground, type Walk, walk } from '../../support/faults/crash-points.ts';

/** From the carrier's taking it to the record that it was sent nobody can know whether the carrier has it. */
const handOverUnknown = [
  'after PutItem outbox',
  'before SendMessageBatch receipts',
  'after SendMessageBatch receipts',
  'before UpdateItem sent',
];

function faultsOf({ killedIn, status, handOvers, events, unknownEvents }: Walk): string[] {
  const faults: string[] = [];
  const handOversMax = handOverUnknown.includes(killedIn ?? '') ? 2 : 1;
  if (status !== 'delivered') faults.push(`${killedIn}: ended as ${status}`);
  if (handOvers < 1 || handOvers > handOversMax) faults.push(`${killedIn}: handed over ${handOvers} times`);
  for (const event of ['sms.sent', 'sms.delivered']) {
    const posts = events.filter((posted) => posted === event).length;
    // From the first byte of a POST to the record of its outcome it is not known whether the endpoint got it.
    const postsMax = unknownEvents.includes(event) ? 2 : 1;
    if (posts < 1 || posts > postsMax) faults.push(`${killedIn}: ${event} was posted ${posts} times`);
  }
  return faults;
}

describe('the process killed before or after any AWS call of relay, dispatch, receipt and delivery', () => {
  let ground: Ground;

  beforeAll(async () => {
    ground = await createGround();
  });
  afterAll(async () => {
    await ground.close();
  });

  it('none killed: one hand-over, each webhook once, and every kind of call is among the points', async () => {
    const undisturbed = await walk(ground);
    expect(undisturbed).toMatchObject({
      killedIn: undefined,
      status: 'delivered',
      handOvers: 1,
      events: ['sms.delivered', 'sms.sent'],
    });
    expect(undisturbed.calls).toEqual(
      expect.arrayContaining([
        'PutItem due-items',
        'SendMessageBatch outbound',
        'UpdateItem sending',
        'PutItem outbox',
        'SendMessageBatch receipts',
        'UpdateItem sent',
        'GetItem',
        'SendMessageBatch webhooks',
        'UpdateItem delivered',
        'PutItem attempting',
        'POST',
        'PutItem acknowledged',
      ]),
    );
  });

  it('the message is delivered and its webhooks are posted, doubled only where nobody can know', async () => {
    const points: string[] = [];
    const faults: string[] = [];
    const { calls } = await walk(ground);
    for (const [index, call] of calls.entries()) {
      const nth = calls.slice(0, index).filter((earlier) => earlier === call).length;
      for (const phase of ['before', 'after'] as const) {
        const walked = await walk(ground, { call, nth, phase });
        if (walked.killedIn !== undefined) points.push(walked.killedIn);
        faults.push(...faultsOf(walked));
      }
    }
    console.log(`${points.length} deaths, in ${new Set(points).size} kinds of places`);
    expect(faults).toEqual([]);
    expect(points).toEqual(expect.arrayContaining([...handOverUnknown, 'before POST', 'after POST']));
  });
});
