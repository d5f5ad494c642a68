/** The project's documentation, as Markdown. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..', '..');

/** @param path - from the project's root */
export function page(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** The paths of all pages. */
export function pages(): string[] {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return [...readdirSync(root), ...inDocs.map((file) => join('docs', file))].filter((path) =>
    path.endsWith('.md'),
  );
}

export function shellBlocks(markdown: string): string[] {
  return Array.from(markdown.matchAll(/```sh\n([^`]*)```/g), ([, block = '']) => block);
}

/** The anchors that GitHub makes of a page's headings. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  return new Set(
    Array.from(markdown.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
