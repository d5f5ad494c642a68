/** Starts the interactive parts of a page: languages, copying, searching, filling in credentials, and unfolding for print. */
import { addCopyButtons } from './copy-buttons.ts';
import { startFillIn } from './fill-in.ts';
import { addLanguageButtons } from './languages.ts';
import { addSearch } from './search.ts';

addLanguageButtons();
addCopyButtons();
addSearch();
startFillIn();

// On a narrow screen the contents cover the page until an entry is chosen.
const contents = document.querySelector<HTMLElement>('#contents');
contents?.addEventListener('click', ({ target }) => {
  if (target instanceof HTMLAnchorElement && contents.matches(':popover-open')) contents.hidePopover();
});

// A browser without `::details-content` prints only what is open.
let openedForPrint: HTMLDetailsElement[] = [];
addEventListener('beforeprint', () => {
  openedForPrint = [...document.querySelectorAll('details')].filter(({ open }) => !open);
  for (const folded of openedForPrint) folded.open = true;
});
addEventListener('afterprint', () => {
  for (const folded of openedForPrint) folded.open = false;
});
