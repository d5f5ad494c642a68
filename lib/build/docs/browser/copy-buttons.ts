/** Adds to each block of code a button that copies it. */
import { announce, element } from './elements.ts';

const shownMs = 2000;

export function addCopyButtons(): void {
  for (const block of document.querySelectorAll('.code')) {
    const source = block.querySelector('code');
    if (source === null) continue;
    const label = block.querySelector('pre')?.getAttribute('aria-label') ?? '';
    const button = element(
      'button',
      { type: 'button', class: 'copy', 'aria-label': `Copy: ${label}` },
      'Copy',
    );
    button.addEventListener('click', async () => {
      const said = (await copied(source)) ? 'Copied' : 'Selected: copy it with the keyboard';
      button.textContent = said;
      announce(said);
      setTimeout(() => {
        button.textContent = 'Copy';
      }, shownMs);
    });
    block.append(button);
  }
}

/** Copies the code, or selects it if the browser does not permit copying. */
async function copied(source: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(source.textContent);
    return true;
  } catch {
    getSelection()?.selectAllChildren(source);
    return false;
  }
}
