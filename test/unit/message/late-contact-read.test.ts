/** A reply belongs to the client whose message a carrier last took, also where the contact was read a moment too early (contract 13.1). */
import { expect, it } from '@jest/globals';
import { receiveMessage } from '../../../shared/message/receive-message.ts';
import { storeContact } from '../../../shared/message/store/contacts.dynamo.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import {
  anInbound,
  inMemoryReceiver,
  ourNumber,
  person,
  sentBy,
  start,
} from '../../support/message/inbound.ts';

it.each([0, 300])('is of the client that wrote last, where reads are %s ms late', async (lagMs) => {
  let now = 0;
  const due: { at: number; run: () => void }[] = [];
  const late = {
    now: () => now,
    later: (ms: number, run: () => void) => void due.push({ at: now + ms, run }),
    lagMs: () => lagMs,
  };
  const passes = (ms: number) => {
    now += ms;
    for (const each of due.splice(0))
      if (each.at <= now) each.run();
      else due.push(each);
  };
  const world = inMemoryReceiver(inMemoryTables({ late }));
  const addressee = { channel: 'sms', person } as const;
  const write = async (clientId: string, seconds: number) => {
    await createMessage(world.context, sentBy(clientId, seconds, { from: ourNumber }));
    await storeContact(world.context, addressee, {
      clientId,
      sender: ourNumber,
      at: addSeconds(start, seconds),
    });
  };
  await write('a', 0);
  passes(10_000);
  await write('b', 10);
  passes(100);
  await write('a', 10.1);
  for (let index = 0; index < 120; index += 1)
    await createMessage(
      world.context,
      sentBy('c', 100 + index, { from: ourNumber, status: 'scheduled', sent_at: undefined }),
    );
  passes(60_000);
  const { message } = await receiveMessage(world.dependencies, anInbound(), 1);
  expect(message.client_id).toBe('a');
});
