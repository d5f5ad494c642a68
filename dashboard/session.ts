/**
 * The signed-in session: a token of an hour, in the session storage of the tab. The token survives a reload, and expires
 * after an hour. The client secret is not kept.
 *
 * It is not renewed. Only the token function may sign: if a token could be exchanged for a new one, a stolen token would
 * last a working day, and rotating the secret would not end it. A renewal with the secret would require the secret in the
 * page, where a malicious script could read it. With a password manager, signing in again takes seconds.
 */

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
