/** The reader's test key and webhook secret, which stay in this browser tab (`sessionStorage`). */
const key = 'credentials';
const names = ['test_api_key', 'webhook_secret'];
const thisMachine = ['localhost', '127.0.0.1', '[::1]'];

export function credentials(): Readonly<Record<string, string>> {
  return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Record<string, string>;
}

/**
 * Moves the demo client's credentials from the URL that `npm start` prints to this tab. Anybody can create such a URL, so
 * the page accepts it only from a local gateway, and only values without characters that a shell interprets.
 */
export function takeFromAddress(): void {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const given = names.map((name) => [name, parameters.get(name) ?? ''] as const);
  if (!thisMachine.includes(location.hostname)) return;
  if (!given.every(([, value]) => /^[\w+/=-]+$/.test(value))) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(given)));
}
