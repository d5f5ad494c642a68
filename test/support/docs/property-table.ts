/** The settings of a stage that are properties of the construct, read from the comments of their files. */
import { page } from './pages.ts';

/** The text of the files that declare the properties. */
export function propertySource(): string {
  return ['gateway-props', 'operation-props'].map((name) => page(`lib/stages/${name}.ts`)).join('\n');
}

interface Property {
  readonly group: string;
  readonly name: string;
  /** The text behind `@default`. */
  readonly byDefault: string;
  /** The text behind `@cost`; undefined if it costs nothing. */
  readonly cost: string | undefined;
  /** The text behind `@change`: when to change it. */
  readonly change: string;
  readonly description: string;
}

const longestDefault = 60;

export function constructProperties(): Property[] {
  const [, ...groups] = propertySource().split(/^ {2}\/\/ (.+)$/m);
  return groups.flatMap((group, index) =>
    index % 2 === 0 ? propertiesIn(group, groups[index + 1] ?? '') : [],
  );
}

function propertiesIn(group: string, source: string): Property[] {
  const members = source.matchAll(/ {2}\/\*\*\n((?: {3}\*.*\n)+?) {3}\*\/\n {2}readonly (\w+)\?:/g);
  return Array.from(members, ([, comment = '', name = '']) => {
    const [description = '', ...tags] = comment
      .replaceAll(/^ {3}\* ?/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .split(/ @(?=default|cost|change)/);
    const tagged = (tag: string) => tags.find((each) => each.startsWith(`${tag} `))?.slice(tag.length + 1);
    const [byDefault = '', cost, change = ''] = ['default', 'cost', 'change'].map(tagged);
    return { group, name, byDefault, cost, change, description };
  });
}

/** A table for each group. */
export function propertyTable(): string {
  const properties = constructProperties();
  const groups = [...new Set(properties.map(({ group }) => group))];
  return groups
    .map((group) => {
      const rows = properties
        .filter((property) => property.group === group)
        .map(({ name, byDefault, cost, change, description }) => {
          const [sentence] = /^.*?[.](?= |$)/.exec(description) ?? [description];
          const described = cost === undefined ? sentence : `${sentence} Cost: ${cost}`;
          const cells = [`\`${name}\``, described, shownDefault(byDefault), change];
          return `| ${cells.map((cell) => cell.replace(/\.$/, '')).join(' | ')} |`;
        });
      const head = ['| Setting | What it is | Default | When to change it |', '|---|---|---|---|'];
      return [`**${group}**`, '', ...head, ...rows].join('\n');
    })
    .join('\n\n');
}

/** Values as code, unless they are long, and what is said about them as text. */
function shownDefault(byDefault: string): string {
  if (byDefault.startsWith('none')) return byDefault;
  const values = byDefault.split('; in production ');
  return values.map((value) => (value.length > longestDefault ? 'in the types' : `\`${value}\``)).join('; ');
}
