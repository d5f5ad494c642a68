/** The reader's credentials, kept in this tab only (`sessionStorage`). */
const key = 'credentials';

export type Credentials = Partial<Record<string, string>>;

export function keepCredentials(credentials: Credentials): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(credentials));
  } catch {
    // The browser permits no storage: the credentials are kept on this page only.
  }
}

export function keptCredentials(): Credentials {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Credentials;
  } catch {
    return {};
  }
}
