/** Writes a JSON value as a literal of a language: on one line if it is short, else with one entry on each line. */

export interface Notation {
  readonly indent: string;
  readonly scalar: (value: unknown) => string;
  readonly key: (name: string) => string;
  /** The space between the braces and the entries of an object on one line. */
  readonly padding: '' | ' ';
  readonly trailingComma: boolean;
}

/** Longer literals are broken into lines, as formatters of code do. */
const charactersOnOneLine = 60;

export const jsonNotation: Notation = {
  indent: '  ',
  scalar: (value) => JSON.stringify(value),
  key: (name) => JSON.stringify(name),
  padding: ' ',
  trailingComma: false,
};

/**
 * @param depth - of the line on which the literal begins
 * @param expressions - in place of the values of these fields of the outermost object
 */
export function literal(
  notation: Notation,
  value: unknown,
  depth = 0,
  expressions: Readonly<Record<string, string>> = {},
): string {
  if (typeof value !== 'object' || value === null) return notation.scalar(value);
  const inner = (child: unknown): string => literal(notation, child, depth + 1);
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map(inner)
    : Object.entries(value).map(
        ([name, child]) => `${notation.key(name)}: ${expressions[name] ?? inner(child)}`,
      );
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return `${open}${close}`;
  const padding = isList ? '' : notation.padding;
  const line = `${open}${padding}${entries.join(', ')}${padding}${close}`;
  if (!line.includes('\n') && line.length <= charactersOnOneLine) return line;
  const { indent, trailingComma } = notation;
  return [
    open,
    entries.map((entry) => `${indent.repeat(depth + 1)}${entry}`).join(',\n') + (trailingComma ? ',' : ''),
    `${indent.repeat(depth)}${close}`,
  ].join('\n');
}
