/**
 * The signed-in session: a token of an hour, in the session storage of the tab. It survives a reload, and ends after the hour.
 * The
 * client secret is not kept.
 *
 * It is not renewed. Only the token function may sign: if a token could be exchanged for a new one, a stolen token would last a
 * working day, and rotating the secret would not end it. A renewal by secret would keep the secret in the page, and a malicious
 * script could read it. A password manager signs in again in seconds.
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
