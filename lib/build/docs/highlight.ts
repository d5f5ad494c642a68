/** Makes code blocks, with syntax colors that the build adds as classes, so that the page needs no script for them. */
import highlighter from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { type Html, html } from './html.ts';

const grammars = { bash, go, json, python, typescript } as const;
for (const [name, grammar] of Object.entries(grammars)) highlighter.registerLanguage(name, grammar);

export type Grammar = keyof typeof grammars;

/** The scopes of the highlighter that have a color; classes for the others would only add bytes. */
const colored = new Set(['comment', 'string', 'keyword', 'number', 'literal', 'attr']);

/** A block that scrolls must be reachable by keyboard. @param label - what a screen reader calls it */
export function codeBlock(source: string, grammar: Grammar, label: string): Html {
  return html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}"><code>${highlighted(source, grammar)}</code></pre></div>`;
}

function highlighted(source: string, grammar: Grammar): Html {
  const { value } = highlighter.highlight(source.trimEnd(), { language: grammar });
  return { html: withPlaceholders(withoutUncolored(value)) };
}

/** Marks the values that the reader has to fill in; the script of the page can fill them in. */
function withPlaceholders(value: string): string {
  return value.replaceAll(
    /YOUR_([A-Z_]+)/g,
    (placeholder, name: string) => `<var data-fill="${name.toLowerCase()}">${placeholder}</var>`,
  );
}

/** Keeps the colored spans, with short class names. */
function withoutUncolored(value: string): string {
  const open: boolean[] = [];
  return value.replaceAll(/<span class="hljs-(\w+)[^"]*">|<\/span>/g, (_, scope: string | undefined) => {
    if (scope === undefined) return open.pop() === true ? '</i>' : '';
    // A colored part inside another would only repeat its color.
    const shown = colored.has(scope) && !open.includes(true);
    open.push(shown);
    return shown ? `<i class="${scope.slice(0, 1)}">` : '';
  });
}
