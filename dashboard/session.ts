/** The signed-in session, in the tab's session storage. */

export interface Session {
  readonly token: string;
  readonly clientId: string;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
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
