/**
 * The console of each operation: sends a request of the reader's own, and shows the answer, and beside it what becomes of the
 * message and its webhooks. Requests go to the gateway that serves the page, and nowhere else.
 */
import { type Credentials, keepCredentials, keptCredentials } from './credentials.ts';
import { announce, codeOf, element } from './elements.ts';
import { follow } from './follow-message.ts';
import { type Answer, send, type TriedRequest } from './send-request.ts';

for (const details of document.querySelectorAll<HTMLDetailsElement>('details.try')) {
  details.hidden = false;
  details.addEventListener('toggle', () => addConsole(details), { once: true });
}

function addConsole(details: HTMLDetailsElement): void {
  const { method, path, authorized, body } = JSON.parse(details.dataset.request ?? '{}') as TriedRequest & {
    readonly body?: unknown;
  };
  const pathField = field('Path', element('input', { value: path, spellcheck: 'false' }));
  const json = body === undefined ? '' : JSON.stringify(body, null, 2);
  const bodyField = field(
    'Body',
    element('textarea', { rows: String(json.split('\n').length + 1), spellcheck: 'false' }, json),
  );
  const credentials = authorized ? credentialFields() : [];
  const button = element('button', { type: 'submit' }, 'Send');
  const form = element(
    'form',
    {},
    ...(authorized ? [element('p', {}, credentialsNote)] : []),
    ...credentials.map(({ label }) => label),
    pathField.label,
    ...(body === undefined ? [] : [bodyField.label]),
    element('p', {}, button),
  );
  const results = element('div', { class: 'results' });
  details.append(form, results);
  let current: AbortController | undefined;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    current?.abort();
    const sending = new AbortController();
    current = sending;
    const given = Object.fromEntries(credentials.map(({ input }) => [input.name, input.value.trim()]));
    if (authorized) keepCredentials({ ...keptCredentials(), ...given });
    button.disabled = true;
    const request = { method, path: pathField.input.value, authorized };
    const text = body === undefined ? undefined : bodyField.input.value;
    const { answer, token } = await send(request, text, given);
    button.disabled = false;
    results.replaceChildren(answerPanel(answer));
    announce(answer.title);
    const messageId = messageIn(answer);
    if (messageId === undefined || token === undefined) return;
    const panel = element('div', { role: 'group', 'aria-label': 'The message and its webhooks' });
    results.append(panel);
    await follow(messageId, token, panel, sending.signal);
  });
}

const credentialsNote =
  'The request is real. With test credentials nothing is sent to a phone; with live ones it is, and costs what a message costs. Credentials stay in this tab.';

function credentialFields() {
  const kept: Credentials = keptCredentials();
  const input = (name: string, label: string, value = '') =>
    field(label, element('input', { name, value, autocomplete: 'off', spellcheck: 'false' }));
  return [
    input('client_id', 'Client id (not with an API key)', kept.client_id),
    // A reader of the quick start goes on with the test key.
    input('client_secret', 'Client secret, or API key', kept.client_secret ?? kept.test_api_key),
  ];
}

function field<Input extends HTMLElement>(title: string, input: Input) {
  return { label: element('label', {}, title, input), input };
}

function answerPanel({ title, headers, body }: Answer): HTMLElement {
  return element(
    'div',
    // No region: several consoles can be open.
    { role: 'group', 'aria-label': 'The answer' },
    element('h4', {}, title),
    ...(headers === '' ? [] : [codeOf('Headers of the answer', headers)]),
    ...(body === '' ? [] : [codeOf('Body of the answer', body)]),
  );
}

function messageIn({ status, body }: Answer): string | undefined {
  if (status === undefined || status >= 300 || body === '') return undefined;
  const { message_id } = JSON.parse(body) as { readonly message_id?: unknown };
  return typeof message_id === 'string' ? message_id : undefined;
}
