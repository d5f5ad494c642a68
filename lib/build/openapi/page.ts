/** A self-contained HTML page without scripts, and its content security policy. */
import { createHash } from 'node:crypto';
import type { ApiResponse } from '../../../shared/operation/operation.ts';
import { css } from './page.css.ts';

export interface Page {
  readonly title: string;
  readonly navigation: readonly Html[];
  readonly main: readonly Html[];
}

/** Text that is already escaped. */
export type Html = { readonly html: string };

/** A template tag that escapes its values, except Html; lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly unknown[]): Html {
  return {
    html: parts.map((part, index) => part + (index < values.length ? text(values[index]) : '')).join(''),
  };
}

function text(value: unknown): string {
  if (value === undefined || value === null || value === false) return '';
  if (Array.isArray(value)) return value.map(text).join('');
  if (typeof value === 'object' && 'html' in value) return String(value.html);
  return String(value).replaceAll(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/** The Markdown that the texts use: paragraphs, `**bold**` and `` `code` ``. */
export function prose(markdown: string): Html {
  const paragraphs = markdown.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>\n`);
  return html`${paragraphs}`;
}

export function inline(markdown: string): Html {
  const parts = markdown.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return html`${parts.map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`;
    return part.startsWith('**') ? html`<b>${part.slice(2, -2)}</b>` : part;
  })}`;
}

export function code(source: string): Html {
  // A block that scrolls must be reachable by keyboard.
  return html`<pre tabindex="0"><code>${source.trimEnd()}</code></pre>`;
}

const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(css).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const documentHeaders = {
  'Cache-Control': 'public, max-age=300',
  'X-Content-Type-Options': 'nosniff',
} as const;

export function pageResponse({ title, navigation, main }: Page): ApiResponse {
  const style: Html = { html: css };
  const { html: body } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<div class="frame">
<nav aria-label="Contents">${navigation}</nav>
<main>${main}</main>
</div>
</body>
</html>
`;
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      ...documentHeaders,
    },
    body,
  };
}
