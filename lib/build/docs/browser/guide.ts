/** The script of a guide: language tabs, copy buttons, and the reader's credentials in the commands. */
import { credentials, takeFromAddress } from './credentials.ts';

const languageKey = 'language';
const copiedMs = 2000;

function button(text: string, onClick: (clicked: HTMLButtonElement) => void): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.append(text);
  made.addEventListener('click', () => onClick(made));
  return made;
}

/** Adds tabs to code in several languages, and shows the language that the reader chose, or the first one. */
function startTabs(): void {
  const groups = [...document.querySelectorAll('.languages')].map((group) => {
    const blocks = [...group.querySelectorAll('figure')];
    const tabs = blocks.map(({ dataset: { language = '' } }) => button(language, () => choose(language)));
    group.prepend(...tabs);
    return { blocks, tabs };
  });
  const choose = (language: string | null) => {
    for (const { blocks, tabs } of groups) {
      const chosen = blocks.find((block) => block.dataset.language === language) ?? blocks[0];
      for (const block of blocks) block.hidden = block !== chosen;
      for (const tab of tabs) tab.ariaPressed = String(tab.textContent === chosen?.dataset.language);
    }
    if (language !== null) sessionStorage.setItem(languageKey, language);
  };
  choose(sessionStorage.getItem(languageKey));
}

function addCopyButtons(): void {
  for (const code of document.querySelectorAll('figure code')) {
    const copy = button('Copy', async (clicked) => {
      await navigator.clipboard.writeText(code.textContent);
      clicked.textContent = 'Copied';
      setTimeout(() => clicked.replaceChildren('Copy'), copiedMs);
    });
    code.closest('figure')?.append(copy);
  }
}

function fillIn(): void {
  const known = credentials();
  for (const place of document.querySelectorAll('var')) {
    const value = known[place.textContent.replace('YOUR_', '').toLowerCase()];
    if (value !== undefined) place.textContent = value;
  }
}

takeFromAddress();
fillIn();
startTabs();
addCopyButtons();
