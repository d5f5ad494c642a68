/** Searches the guides and the reference from the header of every page. */
import { type Entry, finder } from '../find.ts';

async function load() {
  return finder((await (await fetch('search-index')).json()) as Entry[]);
}

export function startSearch(): void {
  const input = document.querySelector<HTMLInputElement>('#search');
  const list = document.querySelector<HTMLElement>('#results');
  if (input === null || list === null) return;
  let loaded: ReturnType<typeof load> | undefined;
  input.addEventListener('input', async () => {
    loaded ??= load();
    const find = await loaded;
    const results = find(input.value).map(({ id, title, page, text, terms }) => {
      const link = element('a', title);
      link.href = id;
      return element('li', link, element('small', `${page}: ${excerpt(text, terms)}`));
    });
    const isEmpty = input.value.trim() === '';
    list.replaceChildren(...(isEmpty || results.length > 0 ? results : [element('li', 'Nothing found')]));
  });
  input.form?.addEventListener('submit', (event) => {
    event.preventDefault();
    list.querySelector('a')?.click();
  });
  list.addEventListener('click', () => list.replaceChildren());
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') list.replaceChildren();
    if (event.key !== '/' || document.activeElement !== document.body) return;
    event.preventDefault();
    input.focus();
  });
}

function element<Name extends 'a' | 'li' | 'small'>(name: Name, ...content: (string | Node)[]) {
  const made = document.createElement(name);
  made.append(...content);
  return made;
}

const charactersBefore = 30;
const charactersMax = 110;

/** Returns the part of the text around the first word that was found. */
function excerpt(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const [first = 0] = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const from = first < charactersBefore ? 0 : text.indexOf(' ', first - charactersBefore) + 1;
  return `${from === 0 ? '' : '… '}${text.slice(from, from + charactersMax)}`;
}
