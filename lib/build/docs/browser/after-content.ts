/** Starts the interactive parts of a page: the choice of a language, copying, searching, and filling in credentials. */
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
