/**
 * Puts the reader's credentials into the commands of the page. They are kept in this tab only (`sessionStorage`) and are
 * sent nowhere. The local gateway tells those of its demo client; no other gateway is asked.
 */
const key = 'credentials';
const thisMachine = ['localhost', '127.0.0.1', '[::1]'];

type Credentials = Partial<Record<string, string>>;

export function startFillIn(): void {
  const form = document.querySelector<HTMLFormElement>('#fill-in');
  if (form === null) return;
  form.hidden = false;
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', () => {
    const typed = Object.fromEntries([...inputsOf(form)].map(({ name, value }) => [name, value]));
    keep(typed);
    fill(typed);
  });
  const kept = read();
  if (Object.values(kept).some(Boolean)) showIn(form, kept);
  else if (thisMachine.includes(location.hostname)) void fillWithDemoClient(form);
}

async function fillWithDemoClient(form: HTMLFormElement): Promise<void> {
  const response = await fetch(`${document.body.dataset.root}docs/demo-client`).catch(() => undefined);
  if (response?.ok !== true) return;
  showIn(form, (await response.json()) as Credentials);
  const note = form.querySelector('#fill-in-note');
  if (note !== null) note.textContent = 'These are the credentials of the demo client of your local gateway.';
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
    // Inside single quotes of a shell.
    place.textContent = value === '' ? `YOUR_${name.toUpperCase()}` : value.replaceAll("'", "'\\''");
  }
}

function keep(credentials: Credentials): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(credentials));
  } catch {
    // The browser stores nothing: they are on this page only.
  }
}

function read(): Credentials {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Credentials;
  } catch {
    return {};
  }
}
