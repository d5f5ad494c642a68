/** The test key and the webhook secret of the reader. They stay in this tab (`sessionStorage`). */
const key = 'credentials';
const names = ['test_api_key', 'webhook_secret'];
const thisMachine = ['localhost', '127.0.0.1', '[::1]'];

export function credentials(): Readonly<Record<string, string>> {
  return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Record<string, string>;
}

/**
 * Moves the credentials from the address, where `npm start` puts those of its demo client, to this tab. Anybody can write a
 * link, so only a gateway on this machine does so, and only without characters that mean something to a shell.
 */
export function takeFromAddress(): void {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const given = names.map((name) => [name, parameters.get(name) ?? ''] as const);
  if (!thisMachine.includes(location.hostname)) return;
  if (!given.every(([, value]) => /^[\w+/=-]+$/.test(value))) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(given)));
}
