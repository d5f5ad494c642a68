/** Renders the pages of the documentation, each with links to the others and a content security policy. */
import { createHash } from 'node:crypto';
import { buildSync } from 'esbuild';
import type { ApiResponse } from '../../../shared/operation/operation.ts';
import { contentsOf, type Guide } from './guides.ts';

/** Returns a script or style sheet of this folder as one text. */
function bundled(file: string): string {
  const { outputFiles } = buildSync({
    absWorkingDir: import.meta.dirname,
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    target: ['chrome123', 'firefox120', 'safari17.5'],
    logLevel: 'error',
  });
  return outputFiles.map(({ text }) => text.trim()).join('');
}

const hashed = (source: string): string => `'sha256-${createHash('sha256').update(source).digest('base64')}'`;

export interface Link {
  readonly name: string;
  readonly title: string;
}

/** @param links - links to all pages, in the order of the navigation */
export function guidePage(guide: Guide, links: readonly Link[]): ApiResponse {
  const contents = contentsOf(guide).map(({ title, anchor }) => `<li><a href="${anchor}">${title}</a></li>`);
  const content = `<div class="guide">
<nav aria-label="Contents"><ul>${contents.join('')}</ul></nav>
<main id="main" tabindex="-1">
${guide.html}</main>
</div>`;
  return page(guide, links, content, 'guide', "require-trusted-types-for 'script'");
}

/** @param library - the URL of Scalar's script */
export function referencePage(reference: Link, links: readonly Link[], library: string): ApiResponse {
  const content = `<div id="main" tabindex="-1"></div>
<noscript>The API reference needs JavaScript. Without it, read the <a href="../openapi.json">OpenAPI document</a>.</noscript>
<script src="${library}"></script>`;
  return page(reference, links, content, 'reference');
}

function page(
  { name, title }: Link,
  links: readonly Link[],
  content: string,
  kind: 'guide' | 'reference',
  ...policy: readonly string[]
): ApiResponse {
  const [style, script] = [bundled('page.css'), bundled(`browser/${kind}.ts`)];
  const navigation = links.map(
    (link) => `<a href="${link.name}"${link.name === name ? ' aria-current="page"' : ''}>${link.title}</a>`,
  );
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': [
        "default-src 'none'",
        // Scalar is loaded from a file, and sets styles on elements.
        `script-src ${kind === 'reference' ? "'self' " : ''}${hashed(script)}`,
        `style-src ${kind === 'reference' ? "'unsafe-inline'" : hashed(style)}`,
        // Permits requests to the gateway: for the API document, and those that the reader tries.
        "connect-src 'self'",
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        ...policy,
      ].join('; '),
      'Referrer-Policy': 'no-referrer',
    },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Messaging Gateway</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<section class="top" aria-label="Messaging Gateway">
<b>Messaging Gateway</b>
<nav aria-label="Documentation">${navigation.join('\n')}</nav>
</section>
${content}
<script>${script}</script>
</body>
</html>
`,
  };
}
