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
    const tabs = otherTabs({
      current: () => tab.held,
      onSession: (shared) => {
        tab.held = shared;
        tab.told.push(shared);
      },
      onSignOut: () => tab.told.push('signed_out'),
    });
    opened.push(tabs);
    return { tab, tabs };
  }
  /** Messages come in order: after the response, all that was said before has been heard. */
  const heard = () => openTab().tabs.ask();

  afterEach(() => {
    for (const tabs of opened.splice(0)) tabs.close();
  });

  it('share a session with a new tab, and none where no tab has one', async () => {
    expect(await openTab().tabs.ask()).toBeUndefined();
    openTab(session);
    expect(await openTab().tabs.ask()).toEqual(session);
  });

  it('do not share a session that has ended', async () => {
    openTab({ ...session, endsAt: now - 1 });
    expect(await openTab().tabs.ask()).toBeUndefined();
  });

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
