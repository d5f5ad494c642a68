/**
 * The signed-in session: a token in the tab's session storage, handed to new tabs of this browser, and renewed while
 * the tab is used. The client secret is in the memory of the tab that signed in, and nowhere else.
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

interface TabEvents {
  readonly current: () => Session | undefined;
  readonly onSession: (session: Session) => void;
  readonly onSignOut: () => void;
}

/** Only pages of this origin hear the channel, and nothing of it is stored. */
export function otherTabs({ current, onSession, onSignOut }: TabEvents) {
  const channel = new BroadcastChannel(key);
  /** Until this tab has a session, or somebody signs out: an answer from before a sign-out may come after it. */
  let isAsking = false;
  const tell = (message: Message): void => {
    isAsking = message.kind === 'wanted';
    channel.postMessage(message);
  };
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    const held = current();
    if (data.kind === 'wanted') {
      if (held !== undefined) tell({ kind: 'session', session: held });
      return;
    }
    if (data.kind === 'signed_out') {
      isAsking = false;
      onSignOut();
      return;
    }
    const { session } = data;
    if (session.endsAt <= Date.now()) return;
    if (held === undefined ? !isAsking : held.endsAt >= session.endsAt) return;
    isAsking = false;
    onSession(session);
  };
  return {
    /** Requests the session of another tab. The answer is taken however late it comes: a busy tab answers after seconds. */
    ask: (): void => tell({ kind: 'wanted' }),
    tell,
    close: (): void => channel.close(),
  };
}
