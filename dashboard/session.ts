/**
 * The signed-in session: an access token, valid for an hour, in the tab's session storage. The token survives a reload, and
 * expires after an hour. The client secret is not stored.
 *
 * The token is not renewed, because only the token function may sign. If a token could be exchanged for another, a stolen
 * one would last longer, even after a rotation of the secret. Renewing it with the secret would require the secret in the
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
