/** The samples of an operation, one block for each language; the page's script shows the language that the reader chose. */
import { codeBlock } from '../highlight.ts';
import { type Html, html } from '../html.ts';
import { languages, type Sample } from '../samples/samples.ts';

/** Without scripts the first block is open, and the others open on a click. */
export function sampleBlocks(title: string, samples: readonly Sample[]): Html {
  return html`<div class="samples">${samples.map(({ language, source, operationId }, index) => {
    const { title: name, grammar } = languages[language];
    return html`<details class="sample ${language}" data-language="${language}" data-sample="${operationId}"${index === 0 && html` open`}><summary>${name}</summary>${codeBlock(source, grammar, `${title}: ${name}`)}</details>`;
  })}</div>`;
}
