/** Search over the text, operations, fields and error codes of all pages. The key `/` begins it. */
import { announce, element } from './elements.ts';
import { type Entry, excerpt, find } from './find.ts';

const input = element('input', {
  type: 'search',
  placeholder: 'Search  /',
  'aria-label': 'Search the documentation',
  'aria-controls': 'results',
  autocomplete: 'off',
  spellcheck: 'false',
});
const results = element('ul', { id: 'results', 'aria-label': 'Search results' });
results.hidden = true;

export function addSearch(): void {
  const place = document.querySelector('search');
  if (place === null) return;
  place.append(input, results);
  input.addEventListener('focus', () => void index());
  input.addEventListener('input', () => void show());
  place.addEventListener('keydown', (event) => moveBy(event));
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  document.addEventListener('click', (event) => {
    if (event.target instanceof Node && !place.contains(event.target)) results.hidden = true;
  });
}

let loading: Promise<readonly Entry[]> | undefined;

/** The index is fetched with the first search. */
function index(): Promise<readonly Entry[]> {
  loading ??= fetch(`${document.body.dataset.root}docs/search-index`)
    .then(async (response) => (response.ok ? ((await response.json()) as readonly Entry[]) : []))
    .catch(() => {
      loading = undefined;
      return [];
    });
  return loading;
}

async function show(): Promise<void> {
  const wanted = input.value;
  const found = find(await index(), wanted);
  // The reader may have typed further characters in the meantime.
  if (wanted !== input.value) return;
  results.replaceChildren(...found.map((entry) => resultOf(entry, wanted)));
  const isEmpty = wanted.trim() === '';
  if (found.length === 0 && !isEmpty) results.append(element('li', {}, 'Nothing found'));
  results.hidden = isEmpty;
  if (!isEmpty) announce(found.length === 1 ? '1 result' : `${found.length} results`);
}

function resultOf([title, address, place, , text]: Entry, wanted: string): HTMLLIElement {
  const part = excerpt(text, wanted);
  const link = element(
    'a',
    { class: 'result', href: `${document.body.dataset.root}${address.slice(1)}` },
    title,
    element('small', {}, place),
    ...(part === '' ? [] : [element('span', {}, part)]),
  );
  link.addEventListener('click', () => {
    results.hidden = true;
  });
  return element('li', {}, link);
}

function moveBy(event: KeyboardEvent): void {
  const stops: HTMLElement[] = [input, ...results.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  if (event.key === 'Escape') {
    // Escape first leaves the results, then the search.
    if (results.hidden) input.blur();
    else input.focus();
    results.hidden = true;
  } else if (event.key === 'Enter' && at === 0) {
    stops[1]?.click();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    stops[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
  }
}

function isTyping({ target }: Event): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
