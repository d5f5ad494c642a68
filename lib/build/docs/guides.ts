/** Renders the guides in `docs/guides`, which are Markdown files that a Git host can also show. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import highlighter from 'highlight.js/lib/common';
import { Marked } from 'marked';
import { baseUrlMarker } from '../../../shared/contract/routes.ts';

/** The guides, in the order of the navigation. */
export const guideNames = ['quick-start', 'webhooks', 'errors', 'limits', 'testing'] as const;

/** Complete programs for webhook endpoints, which the gateway serves unchanged. */
export const programs = ['verify.mjs', 'verify.py', 'verify.go'] as const;

/** Stands for the gateway's URL. */
const exampleAddress = 'https://gateway.example.com';

export const readGuideFile = (file: string): string =>
  readFileSync(join(import.meta.dirname, '../../../docs/guides', file), 'utf8');

/** Returns a heading's anchor, which is the same as on Git hosts. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly html: string;
}

/** @param operationLinks - the link to each operation in the reference, by `METHOD /path` */
export function renderGuide(name: string, operationLinks: ReadonlyMap<string, string>): Guide {
  // Replaces a list of links to the programs by the programs' code.
  const markdown = readGuideFile(`${name}.md`)
    .replaceAll(exampleAddress, baseUrlMarker)
    .replaceAll(/^- \[(\w+)\]\((verify\.(\w+))\)$/gm, (_, language: string, file: string, grammar: string) =>
      ['', `~~~${grammar} ${language}`, readGuideFile(file).trimEnd(), '~~~'].join('\n'),
    );
  const marked = new Marked({
    renderer: {
      heading({ depth, text, tokens }) {
        const content = this.parser.parseInline(tokens);
        const id = anchorOf(text);
        if (depth === 1) return `<h1>${content}</h1>\n`;
        return `<h${depth} id="${id}"><a href="#${id}">${content}</a></h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        const [grammar = 'text', language] = lang.split(' ');
        const { value } = highlighter.highlight(text, { language: grammar });
        const code = value.replaceAll(/YOUR_(TEST_API_KEY|WEBHOOK_SECRET)/g, '<var>$&</var>');
        const pre = `<pre tabindex="0"><code>${code}</code></pre>`;
        if (language === undefined) return `<figure>${pre}</figure>\n`;
        return `<figure data-language="${language}"><figcaption>${language}</figcaption>${pre}</figure>\n`;
      },
      codespan({ text }) {
        const link = operationLinks.get(text);
        return link === undefined ? false : `<a href="${link}"><code>${text}</code></a>`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const [isServed, guide = '', anchor = ''] = /^(?:([a-z-]+)\.md)?(#.+)?$/.exec(href) ?? [];
        if (href.startsWith('https:')) return `<a href="${href}">${text}</a>`;
        // Removes links to other files of the repository, which the gateway does not serve.
        return isServed === undefined ? text : `<a href="${guide}${anchor}">${text}</a>`;
      },
    },
  });
  const html = marked
    .parse(markdown.replaceAll(/<!--.*?-->/g, ''), { async: false })
    .replaceAll(/(<figure data-language.*?<\/figure>\n)+/gs, '<div class="languages">\n$&</div>\n');
  return { name, title: /^# (.+)/.exec(markdown)?.[1] ?? name, html };
}

/** Returns the headings of the second level, with their anchors. */
export function contentsOf({ html }: Guide) {
  return Array.from(html.matchAll(/<h2 id="([^"]*)">(.*?)<\/h2>/g), ([, id = '', heading = '']) => ({
    title: textOf(heading),
    anchor: `#${id}`,
  }));
}

const marks = new Map(Object.entries({ lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", amp: '&' }));

/** Returns the text of HTML that this file rendered. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&([\w#]+);/g, (entity, name: string) => marks.get(name) ?? entity)
    .trim();
}
