/**
 * Shows the same content in several languages, one block for each; the page's script shows the language that the reader
 * chose.
 */
import { type Html, html } from './html.ts';
import { type LanguageName, languages } from './samples/samples.ts';

interface LanguageBlock {
  readonly language: LanguageName;
  readonly title: string;
  readonly content: Html;
}

/**
 * Without scripts the first block is open, and the others open on a click. Who reads a language that has no block sees the
 * first one.
 *
 * @param attribute - of every block
 */
export function languageBlocks(blocks: readonly LanguageBlock[], attribute: Html = html``): Html {
  const without = Object.keys(languages).filter((name) => !blocks.some(({ language }) => language === name));
  return html`<div class="samples">${blocks.map(({ language, title, content }, index) => {
    const isFirst = index === 0;
    const shownFor = [language, ...(isFirst ? without : [])].join(' ');
    return html`<details class="sample ${shownFor}" data-language="${language}"${attribute}${isFirst && html` open`}><summary>${title}</summary>${content}</details>`;
  })}</div>`;
}
