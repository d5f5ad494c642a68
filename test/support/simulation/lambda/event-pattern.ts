/** Lambda's event filtering: the forms of patterns that the stack uses. */

/** Returns true if the event contains, for each name of the pattern, one of the listed values. */
export function matches(pattern: unknown, event: unknown): boolean {
  return Object.entries(Object(pattern)).every(([name, wanted]) => {
    const found = Object(event)[name];
    return Array.isArray(wanted) ? wanted.some((each) => isOne(each, found)) : matches(wanted, found);
  });
}

function isOne(wanted: unknown, found: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return wanted === found;
  const excluded: unknown = Reflect.get(wanted, 'anything-but');
  if (!Array.isArray(excluded))
    throw new Error(`the simulation does not know the filter ${JSON.stringify(wanted)}`);
  return found !== undefined && !excluded.includes(found);
}
