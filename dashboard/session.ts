/**
 * The signed-in session: a token in the tab's session storage, handed to new tabs of this browser, and renewed while
 * the tab is used. The client secret is in the memory of the tab that signed in, and nowhere else
 * (docs/decisions/dashboard-sessions.md).
 */

export interface Session {
  readonly token: string;
  readonly clientId: string;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
  readonly signedInAt: number;
}

const key = 'messaging-gateway.session';

export function storedSession(): Session | undefined {
  const text = sessionStorage.getItem(key);
  if (text === null) return undefined;
  const session = JSON.parse(text) as Session;
  return session.endsAt > Date.now() ? session : undefined;
}

export function storeSession(session: Session): void {
  sessionStorage.setItem(key, JSON.stringify(session));
}

export function forgetSession(): void {
  sessionStorage.removeItem(key);
}

/** Before the end of a token; the warning is shown then, where the session cannot be renewed. */
export const warningMs = 5 * 60_000;
/** After this time without a click or a key, a session is not renewed. */
const idleMaxMs = 60 * 60_000;
/** A working day, after which the secret is asked for again. */
const renewedForMs = 10 * 60 * 60_000;

/** Whether a token may be requested without asking the user. */
export function mayRenew({ signedInAt }: Session, lastUsedAt: number, now: number): boolean {
  return now - lastUsedAt < idleMaxMs && now - signedInAt < renewedForMs;
}

type Message =
  | { readonly kind: 'wanted' }
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'signed_out' };

/** How long a new tab waits for another tab's session before it asks the user to sign in. */
const answerMs = 250;

interface OtherTabs {
  /** The session of another tab; undefined if none answers. */
  ask(): Promise<Session | undefined>;
  tell(message: Message): void;
  close(): void;
}

interface TabEvents {
  readonly current: () => Session | undefined;
  readonly onSession: (session: Session) => void;
  readonly onSignOut: () => void;
}

/** Only pages of this origin hear the channel, and nothing of it is stored. */
export function otherTabs({ current, onSession, onSignOut }: TabEvents): OtherTabs {
  const channel = new BroadcastChannel(key);
  const tell = (message: Message): void => channel.postMessage(message);
  const waiting = new Set<(session: Session) => void>();
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'wanted') {
      const session = current();
      if (session !== undefined) tell({ kind: 'session', session });
      return;
    }
    if (data.kind === 'signed_out') {
      onSignOut();
      return;
    }
    if (data.session.endsAt <= Date.now()) return;
    for (const answer of waiting) answer(data.session);
    const held = current();
    if (held !== undefined && held.endsAt < data.session.endsAt) onSession(data.session);
  };
  return {
    ask: () =>
      new Promise((resolve) => {
        const end = (session: Session | undefined): void => {
          waiting.delete(end);
          resolve(session);
        };
        waiting.add(end);
        setTimeout(end, answerMs, undefined);
        tell({ kind: 'wanted' });
      }),
    tell,
    close: () => channel.close(),
  };
}
