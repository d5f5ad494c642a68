/**
 * Makes a page of the documentation: it is complete without scripts, loads nothing from other servers, and has a
 * content security policy.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync, transformSync } from 'esbuild';
import type { ApiResponse } from '../../../shared/operation/operation.ts';
import { type Html, html } from './html.ts';
import { languages } from './samples/samples.ts';
import { linkTo, type PageName, pageNames, pathToRoot, sitePages, withLinks } from './site.ts';

/** A heading in the list of contents. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** The headings below this one. */
  readonly sections?: readonly Section[];
}

/** A heading with its content. */
export interface Topic extends Omit<Section, 'sections'> {
  readonly content: Html;
}

export interface Page {
  readonly sections: readonly Section[];
  readonly main: Html;
}

const browsers = ['chrome111', 'firefox114', 'safari16.4'];

function script(name: 'before-content' | 'after-content' | 'try-it'): string {
  const [file] = buildSync({
    absWorkingDir: import.meta.dirname,
    entryPoints: [`browser/${name}.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: browsers,
    logLevel: 'error',
  }).outputFiles;
  if (file === undefined) throw new Error(`no script ${name}`);
  return file.text.trim();
}

/** Once a language is chosen, the samples of all others are hidden. */
const samplesOfOthers = Object.keys(languages).map(
  (name) => `[data-language="${name}"] .sample:not(.${name})`,
);

const sheet = readFileSync(join(import.meta.dirname, 'page.css'), 'utf8');
const css = transformSync(`${sheet}\n${samplesOfOthers.join(',')} { display: none; }`, {
  loader: 'css',
  minify: true,
  target: ['chrome123', 'firefox120', 'safari17.5'],
}).code.trim();
const beforeContent = script('before-content');
const afterContent = script('after-content');
/** Only where there are operations to try. */
const tryIt = script('try-it');

const hashed = (source: string): string => `'sha256-${createHash('sha256').update(source).digest('base64')}'`;

const policy = [
  "default-src 'none'",
  `style-src ${hashed(css)}`,
  `script-src ${hashed(beforeContent)} ${hashed(afterContent)} ${hashed(tryIt)}`,
  // The search index, and the requests of the reader's own.
  "connect-src 'self'",
  // The icon.
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

export const documentHeaders = {
  'Cache-Control': 'public, max-age=300',
  'X-Content-Type-Options': 'nosniff',
} as const;

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath fill='%230b5cad' d='M2 2h12v9H7l-4 3v-3H2z'/%3E%3C/svg%3E";

export function pageResponse(name: PageName, { sections, main }: Page): ApiResponse {
  const inlined = (source: string): Html => ({ html: source });
  const { html: body } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${sitePages[name].title} · Messaging Gateway</title>
<link rel="icon" href="${inlined(icon)}">
<style>${inlined(css)}</style>
<script>${inlined(beforeContent)}</script>
</head>
<body data-root="${pathToRoot(name)}">
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="brand" href="${linkTo('start')}">Messaging Gateway</a>
<search></search>
<button class="menu" type="button" popovertarget="contents">Contents</button>
</header>
<div class="frame">
<nav id="contents" popover aria-label="Documentation">${navigation(name, sections)}</nav>
<main id="main" tabindex="-1">${main}</main>
</div>
<script>${inlined(afterContent)}</script>
${name === 'reference' && html`<script>${inlined(tryIt)}</script>`}
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
    body: withLinks(body, name),
  };
}

function navigation(current: PageName, sections: readonly Section[]): Html {
  return html`<ul>${pageNames.map(
    (name) =>
      html`<li><a class="page" href="${linkTo(name)}"${name === current && html` aria-current="page"`}>${sitePages[name].title}</a>${name === current && contents(sections)}</li>`,
  )}<li><a class="page" href="~/openapi.json">OpenAPI document</a></li></ul>`;
}

function contents(sections: readonly Section[]): Html {
  return html`<ul>${sections.map(
    ({ id, title, sections: below }) =>
      html`<li><a href="#${id}">${title}</a>${below !== undefined && contents(below)}</li>`,
  )}</ul>`;
}
