/** The session in the tabs of a browser: how long it is renewed, and what tabs tell each other. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { mayRenew, otherTabs, type Session } from '../../../dashboard/session.ts';

const hour = 3_600_000;
const now = Date.now();
const session: Session = { token: 't', clientId: 'client_1', endsAt: now + hour, signedInAt: now };

describe('a session', () => {
  it('is renewed within an hour of the last use', () => {
    expect(mayRenew(session, now, now + hour - 1)).toBe(true);
    expect(mayRenew(session, now, now + hour)).toBe(false);
  });

  it('is renewed for ten hours, however much the tab is used', () => {
    const later = (ms: number) => mayRenew(session, now + ms, now + ms);
    expect([later(10 * hour - 1), later(10 * hour)]).toEqual([true, false]);
  });
});

describe('tabs', () => {
  const opened: { close(): void }[] = [];
  /** A tab with its session, and what it was told. */
  function openTab(held?: Session) {
    const tab = { held, told: [] as (Session | 'signed_out')[] };
    const first = Promise.withResolvers<Session>();
    const tabs = otherTabs({
      current: () => tab.held,
      onSession: (shared) => {
        tab.held = shared;
        tab.told.push(shared);
        first.resolve(shared);
      },
      onSignOut: () => tab.told.push('signed_out'),
    });
    opened.push(tabs);
    return { tab, tabs, first: first.promise };
  }
  /** Messages come in order: after the response, all that was said before has been heard. */
  const heard = async (): Promise<void> => {
    const { tabs, first } = openTab();
    tabs.ask();
    await first;
  };

  afterEach(() => {
    for (const tabs of opened.splice(0)) tabs.close();
  });

  it('share a session with a new tab', async () => {
    openTab(session);
    const { tabs, first } = openTab();
    tabs.ask();
    expect(await first).toEqual(session);
  });

  it('take the first session that has not ended, where none had one when they asked', async () => {
    const { tab, tabs, first } = openTab();
    tabs.ask();
    const teller = openTab(session);
    teller.tabs.tell({ kind: 'session', session: { ...session, endsAt: now - 1 } });
    teller.tabs.tell({ kind: 'session', session });
    expect(await first).toEqual(session);
    expect(tab.told).toEqual([session]);
  });

  it.each(['another tab', 'the tab itself'])(
    'take no session that comes after a sign-out in %s',
    async (by) => {
      const asking = openTab();
      asking.tabs.ask();
      const teller = openTab(session);
      (by === 'another tab' ? teller : asking).tabs.tell({ kind: 'signed_out' });
      teller.tabs.tell({ kind: 'session', session });
      await heard();
      expect(asking.tab.held).toBeUndefined();
    },
  );

  it('take over a renewed session, not an older one, and none where they are signed out', async () => {
    const [old, out] = [openTab(session), openTab()];
    const renewed = { ...session, token: 'u', endsAt: session.endsAt + hour };
    const teller = openTab(renewed);
    teller.tabs.tell({ kind: 'session', session: renewed });
    teller.tabs.tell({ kind: 'session', session });
    await heard();
    expect(old.tab.told).toEqual([renewed]);
    expect(out.tab.told).toEqual([]);
  });

  it('sign out when another one signs out', async () => {
    const { tab } = openTab(session);
    openTab(session).tabs.tell({ kind: 'signed_out' });
    await heard();
    expect(tab.told).toEqual(['signed_out']);
  });
});
