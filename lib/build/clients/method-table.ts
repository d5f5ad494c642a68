/** Writes the table of methods into the README of a client, between two comments. */
import { type ClientMethod, camelCase } from './client-methods.ts';

const start = '<!-- methods: written by npm run clients:generate -->';
const end = '<!-- end of methods -->';

export type ClientLanguage = 'typescript' | 'python';

/** @throws Error for a README without the two comments */
export function withMethodTable(
  readme: string,
  methods: readonly ClientMethod[],
  language: ClientLanguage,
): string {
  const spelled = (words: readonly string[]): string =>
    language === 'typescript' ? camelCase(words) : words.join('_');
  const byResource = Map.groupBy(methods, ({ resource }) => spelled(resource));
  const rows = [...byResource].map(
    ([resource, own]) =>
      `| \`gateway.${resource}\` | ${own.map(({ name }) => `\`${spelled(name)}\``).join(', ')} |`,
  );
  const [before, rest] = readme.split(start);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error(`a README lacks ${start} or ${end}`);
  return [before, start, '\n\n| | |\n|---|---|\n', rows.join('\n'), '\n\n', end, after].join('');
}
