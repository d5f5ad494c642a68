/** The properties of the construct, read from the comments and types of their files. */
import { page } from './pages.ts';

/** The text of the files that declare the properties. */
export function propertySource(): string {
  return ['gateway-props', 'operation-props'].map((name) => page(`lib/stages/${name}.ts`)).join('\n');
}

interface Property {
  readonly name: string;
  readonly type: string;
  /** The text behind `@default`. */
  readonly byDefault: string;
  readonly description: string;
}

const longestType = 40;
const longestDefault = 60;

export function constructProperties(): Property[] {
  const members = propertySource().matchAll(
    / {2}\/\*\*\n((?: {3}\*.*\n)+?) {3}\*\/\n {2}readonly (\w+)\?:\s+([\s\S]*?);\n(?=\n| {2}\/\*\*|\})/g,
  );
  return Array.from(members, ([, comment = '', name = '', type = '']) => {
    const text = comment
      .replaceAll(/^ {3}\* ?/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const [description = '', byDefault = ''] = text.split(' @default ');
    return { name, type: type.replaceAll(/\s+/g, ' '), byDefault, description };
  });
}

export function propertyTable(): string {
  return [
    '| Property | Type | Default | Meaning |',
    '|---|---|---|---|',
    ...constructProperties().map(({ name, type, byDefault, description }) => {
      const shown = type.length > longestType ? 'object' : type;
      const [sentence] = /^.*?[.](?= |$)/.exec(description) ?? [description];
      return `| \`${name}\` | \`${shown.replaceAll('|', '\\|')}\` | ${shownDefault(byDefault)} | ${sentence.replace(/\.$/, '')} |`;
    }),
  ].join('\n');
}

/** Values as code, unless they are long, and what is said about them as text. */
function shownDefault(byDefault: string): string {
  if (byDefault.startsWith('none')) return byDefault;
  const values = byDefault.split('; in production ');
  return values.map((value) => (value.length > longestDefault ? 'in the types' : `\`${value}\``)).join('; ');
}
