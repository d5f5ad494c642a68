/** Buttons that choose the language of all samples. Without scripts each sample opens on a click. */
import { element } from './elements.ts';
import { applyLanguage, rememberedLanguage, rememberLanguage } from './language-choice.ts';

const buttons: HTMLButtonElement[] = [];

export function addLanguageButtons(): void {
  for (const group of document.querySelectorAll('.samples')) {
    const samples = [...group.querySelectorAll<HTMLDetailsElement>('.sample')];
    for (const sample of samples) sample.open = true;
    group.prepend(
      element(
        'div',
        { class: 'languages', role: 'group', 'aria-label': 'Language' },
        ...samples.map(buttonOf),
      ),
    );
  }
  showChoice(rememberedLanguage());
}

function buttonOf(sample: HTMLDetailsElement): HTMLButtonElement {
  const button = element('button', { type: 'button' }, sample.querySelector('summary')?.textContent ?? '');
  // A sample may serve several languages; the first is its own.
  button.dataset.languages = [...sample.classList].filter((name) => name !== 'sample').join(' ');
  button.addEventListener('click', () => choose(button, sample.dataset.language ?? ''));
  buttons.push(button);
  return button;
}

/** The samples above change their height, so the page is scrolled to keep the button in place. */
function choose(button: HTMLButtonElement, language: string): void {
  const before = button.getBoundingClientRect().top;
  applyLanguage(language);
  rememberLanguage(language);
  showChoice(language);
  scrollBy({ top: button.getBoundingClientRect().top - before, behavior: 'instant' });
}

function showChoice(language: string): void {
  for (const button of buttons) {
    const isChosen = button.dataset.languages?.split(' ').includes(language) === true;
    button.setAttribute('aria-pressed', String(isChosen));
  }
}
