/**
 * Puts the reader's credentials into the commands of the page. They are kept in this tab only (`sessionStorage`) and are
 * sent nowhere. The address that `npm start` prints has those of its demo client after the `#`, which no browser sends; no
 * other gateway takes credentials from there.
 */
import { type Credentials, keepCredentials, keptCredentials } from './credentials.ts';

const thisMachine = ['localhost', '127.0.0.1', '[::1]'];

export function startFillIn(): void {
  const form = document.querySelector<HTMLFormElement>('#fill-in');
  if (form === null) return;
  form.hidden = false;
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', () => {
    const typed = Object.fromEntries([...inputsOf(form)].map(({ name, value }) => [name, value]));
    keep(typed);
  });
  const given = thisMachine.includes(location.hostname) ? takeFromAddress(form) : undefined;
  showIn(form, { ...keptCredentials(), ...given });
  const note = form.querySelector('#fill-in-note');
  if (given === undefined || note === null) return;
  keep(given);
  note.textContent =
    'These are the test key and the webhook secret of the demo client of your local gateway.';
}

/** With those that other pages of the tab keep, which the commands have, too. */
function keep(credentials: Credentials): void {
  const all = { ...keptCredentials(), ...credentials };
  keepCredentials(all);
  fill(all);
}

/**
 * Reads the credentials from the address and removes them from it; undefined if it has none. Anybody can write a link,
 * so a value with a character that has a meaning in a command is ignored.
 */
function takeFromAddress(form: HTMLFormElement): Credentials | undefined {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const given = [...inputsOf(form)].map(({ name }) => [name, parameters.get(name) ?? ''] as const);
  if (!given.every(([, value]) => /^[\w+/=-]+$/.test(value))) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return Object.fromEntries(given);
}

function inputsOf(form: HTMLFormElement): NodeListOf<HTMLInputElement> {
  return form.querySelectorAll('input');
}

function showIn(form: HTMLFormElement, credentials: Credentials): void {
  for (const input of inputsOf(form)) input.value = credentials[input.name] ?? '';
  fill(credentials);
}

function fill(credentials: Credentials): void {
  for (const place of document.querySelectorAll<HTMLElement>('var[data-fill]')) {
    const name = place.dataset.fill ?? '';
    const value = credentials[name]?.trim() ?? '';
    // The commands have the values inside single quotes of a shell.
    place.textContent = value === '' ? `YOUR_${name.toUpperCase()}` : value.replaceAll("'", "'\\''");
  }
}
