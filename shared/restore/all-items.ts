/** Reads all rows of a table, one after another, or in segments at once. */
import type { Item, SideTables } from './side-tables.dynamo.ts';

const segments = 8;

/** All rows of a table, one segment after another. */
export async function* allItems(sideTables: Pick<SideTables, 'page'>, tableName: string) {
  let after: Item | undefined;
  do {
    const { items, next } = await sideTables.page(tableName, 0, 1, after);
    yield* items;
    after = next;
  } while (after !== undefined);
}

/** Reads the segments of a table at once, each from its position on. */
export async function eachPage(
  sideTables: Pick<SideTables, 'page'>,
  tableName: string,
  positions: Readonly<Record<string, Item | null>>,
  work: (items: readonly Item[]) => Promise<void>,
  done: (segment: number, next: Item | undefined) => Promise<void> = async () => undefined,
): Promise<void> {
  await Promise.all(
    Array.from({ length: segments }, async (_, segment) => {
      const position = positions[`${tableName} ${segment}`];
      if (position === null) return;
      let after = position;
      do {
        const { items, next } = await sideTables.page(tableName, segment, segments, after);
        await work(items);
        await done(segment, next);
        after = next;
      } while (after !== undefined);
    }),
  );
}
