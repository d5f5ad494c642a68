/**
 * Adds language features that the administrators' command needs and Node 20 lacks, at the start of its bundle in the
 * package.
 */

Map.groupBy ??= (items, keyOf) => {
  const groups = new Map();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};

Object.groupBy ??= (items, keyOf) => Object.fromEntries(Map.groupBy(items, keyOf)) as never;

Array.fromAsync ??= async (
  items: AsyncIterable<unknown> | Iterable<unknown> | ArrayLike<unknown>,
  changed: (item: never, index: number) => unknown = (item) => item,
) => {
  const all: unknown[] = [];
  for await (const item of Symbol.asyncIterator in items ? items : Array.from(items as Iterable<unknown>))
    all.push(await changed(item as never, all.length));
  return all as never[];
};
