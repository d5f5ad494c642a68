/** The carrier's opt-out list and the suppressions: who opted out on either side, and when, decides on both. */
import { describe, expect, it } from '@jest/globals';
import { optOutAtCarrier, type SuppressionSource } from '../../../shared/message/suppression/suppression.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { aMessage } from '../../support/message/example-message.ts';
import { aWorld, numberOf, other, person, start } from '../../support/message/opt-out-world.ts';

describe('who is on the list of the carrier', () => {
  it('is suppressed for every client that wrote to them, once, and for no other', async () => {
    const world = aWorld();
    world.wrote(person, 'a', 'b');
    world.listOptOut(person, -100);
    expect(await world.run()).toMatchObject({ suppressed: 2, complete: true });
    expect([await world.scopeOf('a'), await world.scopeOf('b'), await world.scopeOf('c')]).toEqual([
      'messages',
      'messages',
      undefined,
    ]);
    expect(await world.run()).toMatchObject({ added: 0, removed: 0, complete: true });
    expect(await world.scopeOf('a')).toBe('messages');
  });

  it('is not suppressed again where a later START ended it; the carrier forgets it too', async () => {
    const world = aWorld();
    world.wrote(person, 'a');
    world.listOptOut(person, -100);
    await world.change(-90, { scope: 'messages' });
    await world.change(-50, {});
    expect(await world.run()).toMatchObject({ suppressed: 0, removed: 1 });
    expect(await world.scopeOf('a')).toBeUndefined();
    expect(world.listed.size).toBe(0);
  });

  it('stays there where the opt-out is newer than the end of the suppression', async () => {
    const world = aWorld();
    world.wrote(person, 'a');
    await world.change(-100, { scope: 'messages' });
    await world.change(-90, {});
    world.listOptOut(person, -50);
    await world.run();
    expect(await world.scopeOf('a')).toBe('messages');
    expect(world.listed.has(person)).toBe(true);
  });

  it('gets messages again after START, although the carrier refuses a message until its list is updated', async () => {
    const world = aWorld();
    world.wrote(person, 'a');
    world.listOptOut(person, -100, true);
    await world.run();
    world.hourLater();
    const at = 3600 + 100;
    await world.change(at, {});
    // The welcome that the client sends is refused, because AWS has the number still.
    const record = optOutAtCarrier(world.suppressions);
    const refused = aMessage({ client_id: 'a', recipient: person, message_id: 'msg_welcome' });
    expect(await record(refused, addSeconds(start, at + 1))).toBe(false);
    expect(await world.scopeOf('a')).toBeUndefined();
    await world.run();
    expect([await world.scopeOf('a'), world.listed.size]).toEqual([undefined, 0]);
    // A STOP that only the carrier saw counts.
    world.hourLater();
    world.listOptOut(person, at + 3000, true);
    await world.run();
    expect(await world.scopeOf('a')).toBe('messages');
  });

  it('keeps everything suppressed where the client suppressed everything', async () => {
    const world = aWorld();
    world.wrote(person, 'a', 'b');
    await world.change(-200, { scope: 'all', source: 'client' });
    world.listOptOut(person, -100);
    await world.run();
    expect([await world.scopeOf('a'), await world.scopeOf('b')]).toEqual(['all', 'messages']);
  });
});

describe('the list of the carrier', () => {
  it('gets a number only where an administrator lets no client send anything to it', async () => {
    const world = aWorld();
    for (const recipient of [person, other]) {
      world.wrote(recipient, 'a', 'b');
      await world.change(-100, { recipient, scope: 'all', source: 'admin' });
    }
    await world.change(-100, { client_id: 'b', scope: 'all', source: 'admin' });
    await world.change(-100, { client_id: 'b', recipient: other, scope: 'messages' });
    expect(await world.run()).toMatchObject({ added: 1 });
    expect([...world.listed.keys()]).toEqual([person]);
    world.hourLater();
    await world.run();
    world.hourLater();
    expect(await world.run()).toMatchObject({ added: 0, suppressed: 0 });
  });

  it('is not changed by what a client says, whatever it did before', async () => {
    const world = aWorld();
    const noted = (recipient: string, clientId: string) =>
      world.contacts.note({ channel: 'sms', person: recipient }, { clientId, sender: '*', at: start });
    await noted(person, 'a');
    await world.change(-100, { scope: 'all', source: 'client' });
    // Everybody's word together is no person's and no administrator's either.
    await noted(person, 'b');
    await world.change(-90, { client_id: 'b', scope: 'all', source: 'client' });
    await world.run();
    expect(world.listed.size).toBe(0);

    for (const byPerson of [true, false]) {
      world.hourLater();
      world.listOptOut(other, 3700, byPerson);
      await world.change(3710, { recipient: other, scope: 'all', source: 'client' });
      await world.change(3720, { recipient: other, source: 'client' });
      await world.run();
      expect(world.listed.has(other)).toBe(true);
    }
  });

  it('does not get a number by an administrator for one client, hidden behind messages of that client', async () => {
    const world = aWorld();
    world.wrote(person, ...Array.from({ length: 3000 }, () => 'a'));
    await world.contacts.note(
      { channel: 'sms', person },
      { clientId: 'b', sender: '+447418367358', at: addSeconds(start, -9000) },
    );
    await world.change(-100, { scope: 'all', source: 'admin' });
    await world.run();
    expect(world.listed.size).toBe(0);
    await world.change(-50, { client_id: 'b', scope: 'all', source: 'client' });
    await world.run();
    expect(world.listed.size).toBe(0);
    await world.change(-40, { client_id: 'b', scope: 'all', source: 'admin' });
    await world.run();
    expect([...world.listed.keys()]).toEqual([person]);
  });

  it('keeps a number whose person opted in to one client, and is stopped for another by a word or an administrator', async () => {
    for (const [source, keeps] of Object.entries({
      keyword: true,
      admin: true,
      carrier: false,
      client: false,
    })) {
      const world = aWorld();
      world.wrote(person, 'a', 'b');
      world.listOptOut(person, -90, true);
      await world.change(-80, { client_id: 'b', scope: 'messages', source: source as SuppressionSource });
      await world.change(-50, {});
      await world.run();
      expect([source, world.listed.has(person)]).toEqual([source, keeps]);
    }
  });

  it.each(['pause', 'add'] as const)(
    'does not keep a number whose suppression ends while the run is at it (%s)',
    async (step) => {
      const world = aWorld();
      world.wrote(person, 'a', 'b');
      for (const client_id of ['a', 'b'])
        await world.change(-100, { client_id, scope: 'all', source: 'admin' });
      world.meanwhile(step, () => world.change(1, { source: 'admin' }));
      expect(await world.run()).toMatchObject({ added: 0, complete: true });
      world.hourLater();
      expect(await world.run()).toMatchObject({ suppressed: 0, complete: true });
      expect(world.listed.size).toBe(0);
      expect([await world.scopeOf('a'), await world.scopeOf('b')]).toEqual([undefined, 'all']);
    },
  );

  it.each([
    ['loses a number whose suppression ended after its addition, by a clock that is behind', -200, true],
    ['loses a number whose suppression ended before the addition of a run that died', -20, true],
    ['keeps a number that somebody added long after the end of its suppression', -400, false],
  ])('%s', async (_what, endedAt, isRemoved) => {
    const world = aWorld();
    world.wrote(person, 'a', 'b');
    for (const client_id of ['a', 'b'])
      await world.change(-500, { client_id, scope: 'all', source: 'admin' });
    world.listOptOut(person, -10, false);
    await world.change(endedAt, { source: 'admin' });
    for (let runs = 0; runs < 2; runs += 1) {
      await world.run();
      world.hourLater();
    }
    expect(world.listed.has(person)).toBe(!isRemoved);
    expect(await world.scopeOf('a')).toBe(isRemoved ? undefined : 'messages');
  });

  it('keeps a number that an administrator had put there, after START to one client, and says so', async () => {
    const world = aWorld();
    world.wrote(person, 'a', 'b');
    for (const client_id of ['a', 'b'])
      await world.change(-100, { client_id, scope: 'all', source: 'admin' });
    await world.run();
    world.hourLater();
    await world.change(3600, { client_id: 'a' });
    await world.run();
    expect((await world.suppressions.get('b', person))?.source).toBe('admin');
    expect(world.listed.has(person)).toBe(true);
  });

  it('keeps a number after STOP to one client, which AWS lists a second later, and START to another', async () => {
    const world = aWorld();
    world.wrote(person, 'a', 'b');
    await world.change(-91, { client_id: 'b', scope: 'messages' });
    world.listOptOut(person, -90);
    await world.change(-50, {});
    await world.run();
    expect(world.listed.has(person)).toBe(true);
  });

  it('loses a number after a START that the gateway has learned of hours late', async () => {
    const world = aWorld();
    world.wrote(person, 'a');
    world.listOptOut(person, -100);
    for (let hours = 0; hours < 5; hours += 1) {
      await world.run();
      world.hourLater();
    }
    await world.change(600, {});
    await world.run();
    expect(world.listed.has(person)).toBe(false);
  });

  it('keeps a number whose person sends STOP again while the run is at it', async () => {
    const world = aWorld();
    world.listOptOut(person, -90);
    await world.change(-80, { scope: 'messages' });
    await world.change(-50, {});
    world.meanwhile('pause', () => world.change(1, { scope: 'messages' }));
    expect(await world.run()).toMatchObject({ removed: 0, complete: true });
    expect(world.listed.has(person)).toBe(true);
  });

  it.each([1, 24, 29 * 24])('loses a number whose removal it refuses for %s hours', async (hours) => {
    const world = aWorld();
    world.listOptOut(person, -90);
    await world.change(-80, { scope: 'messages' });
    await world.change(-50, {});
    world.refuse('removal');
    for (let hour = 0; hour < hours; hour += 1) {
      expect(await world.run()).toMatchObject({ refused: 1, complete: true });
      world.hourLater();
    }
    world.refuse(undefined);
    expect(await world.run()).toMatchObject({ removed: 1, refused: 0 });
    world.hourLater();
    // From then on the row is an old one.
    world.listOptOut(person, -60);
    await world.run();
    world.hourLater();
    expect(await world.run()).toMatchObject({ removed: 0 });
  });

  it.each(['keyword', 'admin', 'client'] as const)(
    'loses a number after START to one client when the stop of the other is ended by: %s',
    async (source) => {
      const world = aWorld();
      world.wrote(person, 'a', 'b');
      world.listOptOut(person, -90);
      for (const client_id of ['a', 'b']) await world.change(-80, { client_id, scope: 'messages' });
      await world.change(-50, {});
      for (let hour = 0; hour < 6; hour += 1) {
        await world.run();
        world.hourLater();
      }
      expect(world.listed.has(person)).toBe(true);
      await world.change(6 * 3600, { client_id: 'b', source });
      await world.run();
      expect(world.listed.has(person)).toBe(false);
    },
  );

  it('keeps a number whose person sends STOP again to the client of the START that another stop held back', async () => {
    const world = aWorld();
    world.wrote(person, 'a', 'b');
    world.listOptOut(person, -90);
    for (const client_id of ['a', 'b']) await world.change(-80, { client_id, scope: 'messages' });
    await world.change(-50, {});
    world.meanwhile('pause', () => world.change(2, { scope: 'messages' }));
    await world.run();
    await world.change(10, { client_id: 'b', source: 'client' });
    world.hourLater();
    await world.run();
    expect([world.listed.has(person), await world.scopeOf('a')]).toEqual([true, 'messages']);
  });

  it('may refuse a removal, which stops nothing else', async () => {
    const world = aWorld();
    for (const recipient of [person, other]) {
      world.listOptOut(recipient, -90);
      await world.change(-80, { recipient, scope: 'messages' });
      await world.change(-50, { recipient });
    }
    world.refuse('removal');
    expect(await world.run()).toMatchObject({ refused: 2, complete: true });
  });
});

describe('a comparison', () => {
  it('is continued where the run before ended, and reads each page once', async () => {
    const world = aWorld({ pageSize: 10, budgetMs: 3000 });
    for (let index = 0; index < 95; index += 1) {
      world.wrote(numberOf(index), 'a');
      world.listOptOut(numberOf(index), -100);
    }
    expect(await world.runAll()).toBeGreaterThan(2);
    for (let index = 0; index < 95; index += 1) {
      expect(await world.scopeOf('a', numberOf(index))).toBe('messages');
    }
    expect(new Set(world.calls).size).toBe(world.calls.length);
    expect(world.calls).toHaveLength(10);
  });

  it('looks up one number a second, and is continued within the rows', async () => {
    const world = aWorld({ budgetMs: 5000 });
    for (let index = 0; index < 20; index += 1) {
      world.listOptOut(numberOf(index), -90);
      await world.change(-80, { recipient: numberOf(index), scope: 'messages' });
      await world.change(-50, { recipient: numberOf(index) });
    }
    expect(await world.runAll()).toBeGreaterThan(3);
    expect(world.listed.size).toBe(0);
    expect(world.calls.filter((call) => call.startsWith('remove'))).toHaveLength(20);
  });

  it('begins the list again if the carrier no longer knows the page', async () => {
    const world = aWorld({ pageSize: 1, budgetMs: 1 });
    for (const recipient of [person, other]) {
      world.wrote(recipient, 'a');
      world.listOptOut(recipient, -100);
    }
    await world.run();
    world.refuse('position');
    await world.run();
    world.refuse(undefined);
    await world.runAll();
    expect([await world.scopeOf('a', person), await world.scopeOf('a', other)]).toEqual([
      'messages',
      'messages',
    ]);
  });
});
