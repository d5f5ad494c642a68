/** Edits of rows by hand, as a person makes them in the DynamoDB console: any attribute but a key, mostly by mistake. */
import { type Item, isEqualItem, type Value } from './aws/attribute-values.ts';
import type { TableDefinition } from './aws/dynamodb.ts';
import { ServiceError } from './aws/service-error.ts';
import type { RowEdit } from './outside/record.ts';
import { oneOf, type Random, wholeBetween } from './random.ts';
import type { Stage } from './stage.ts';

type Changes = RowEdit['changes'];

/** What somebody makes of a value: undefined where they remove it. */
function mistakenFor(random: Random, value: Value): Value | undefined {
  const given = contentsOf(value);
  const others = [undefined, { NULL: true }, { S: '' }, { L: [] }, { M: {} }, ...given] as const;
  const drawn = oneOf<Value | undefined>(random, others);
  return isEqualItem({ value }, { ...(drawn && { value: drawn }) }) ? undefined : drawn;

  function contentsOf(of: Value): (Value | undefined)[] {
    if ('S' in of)
      return [
        { S: ` ${of.S} ` },
        { S: `${of.S}x` },
        { N: '1' },
        { L: [of] },
        { BOOL: false },
        ...dayBefore(of.S),
      ];
    if ('N' in of)
      return ['-1', '0.5', '1e30', `-${of.N.replace('-', '')}`]
        .map((N): Value => ({ N }))
        .concat({ S: of.N }, { S: ` ${of.N}` });
    if ('BOOL' in of)
      return [{ S: String(of.BOOL) }, { N: '1' }, { S: of.BOOL ? 'yes' : 'no' }, { BOOL: !of.BOOL }];
    if ('L' in of) {
      const [first, ...rest] = of.L;
      const changed = first && mistakenFor(random, first);
      return [
        { S: JSON.stringify(of.L) },
        { M: Object.fromEntries(of.L.entries()) },
        { L: changed === undefined ? rest : [changed, ...rest] },
      ];
    }
    if ('M' in of) {
      const [name] = Object.keys(of.M).toSorted(() => random() - 0.5);
      const { [name ?? '']: inner, ...rest } = of.M;
      const changed = inner && mistakenFor(random, inner);
      const map = changed === undefined ? rest : { ...rest, [name ?? '']: changed };
      return [{ L: Object.values(of.M) }, { S: 'none' }, { M: map }, { M: map }];
    }
    return [{ S: 'none' }];
  }
}

/** The text with another time, if it begins with one. */
function dayBefore(text: string): Value[] {
  const [time = ''] = /^[-\d]{10}T[:.\d]{12}Z/.exec(text) ?? [];
  const other = (): string => new Date(Date.parse(time) - 86_400_000).toISOString();
  return time === '' ? [] : [{ S: text.replace(time, other()) }];
}

/** Any row of any table, and what somebody makes of one of its attributes, or adds to it. */
export function drawnEdit(
  { database }: Stage,
  random: Random,
): { readonly table: string; readonly row: Item; readonly changes: Changes } | undefined {
  const filled = database.definitions.filter(({ name }) => database.rows(name).length > 0);
  const definition = filled[Math.floor(random() * filled.length)];
  if (definition === undefined) return undefined;
  const rows = database.rows(definition.name);
  // Mostly one of the latest, of which more is to come.
  const first = random() < 0.6 ? Math.max(0, rows.length - 5) : 0;
  const row = rows[wholeBetween(random, first, rows.length - 1)] ?? {};
  const keys = Object.keys(keyIn(definition, row));
  const names = Object.keys(row).filter((name) => !keys.includes(name));
  const name = names[Math.floor(random() * (names.length + 1))] ?? 'note';
  const value = row[name];
  const indexed = Object.values(definition.indexes).flatMap(({ partition, sort }) => [partition, sort]);
  if (value === undefined) return { table: definition.name, row, changes: { note: { S: 'by hand' } } };
  // DynamoDB takes nothing but a text for the key of an index.
  const changed =
    indexed.includes(name) && 'S' in value
      ? oneOf(random, [undefined, { S: `${value.S} ` }, ...dayBefore(value.S)])
      : mistakenFor(random, value);
  return { table: definition.name, row, changes: { [name]: changed } };
}

/**
 * Changes attributes of a row, where it is still there; without a value, removes them.
 *
 * @returns puts right what nobody has changed since
 */
export async function editRow(
  { database, record, time }: Stage,
  table: string,
  row: Item,
  changes: Changes,
  isDrawn = false,
): Promise<(() => Promise<void>) | undefined> {
  const definition = database.definitions.find(({ name }) => name === table);
  if (definition === undefined) throw new Error(`no table ${table}`);
  const key = keyIn(definition, row);
  const current = (): Item | undefined =>
    database.rows(table).find((one) => isEqualItem(keyIn(definition, one), key));
  const before = current();
  if (before === undefined) return undefined;
  await set(changes);
  const edit: RowEdit = { atMs: time.now(), table, key, before, changes, isDrawn };
  record.editedRows.push(edit);
  return async () => {
    const now = current();
    const names = Object.keys(changes);
    if (now === undefined || !isEqualItem(only(now, names), only(changes, names))) return;
    await set(Object.fromEntries(names.map((name) => [name, before[name]])));
    edit.restoredAtMs = time.now();
  };

  async function set(values: Changes): Promise<void> {
    const names = Object.keys(values);
    const kept = names.filter((name) => values[name] !== undefined);
    const removed = names.filter((name) => values[name] === undefined);
    const parts = [
      kept.length > 0
        ? `SET ${kept.map((name) => `#n${names.indexOf(name)} = :v${names.indexOf(name)}`)}`
        : '',
      removed.length > 0 ? `REMOVE ${removed.map((name) => `#n${names.indexOf(name)}`)}` : '',
    ];
    const ExpressionAttributeValues = Object.fromEntries(
      kept.map((name) => [`:v${names.indexOf(name)}`, values[name]]),
    );
    const input = {
      TableName: table,
      Key: key,
      UpdateExpression: parts.join(' ').trim(),
      ExpressionAttributeNames: Object.fromEntries(names.map((name, i) => [`#n${i}`, name])),
      ...(kept.length > 0 ? { ExpressionAttributeValues } : {}),
    };
    for (;;) {
      try {
        return void database.call('UpdateItem', input);
      } catch (error) {
        // A person in the console tries again while a transaction is under way.
        if (!(error instanceof ServiceError) || error.code !== 'TransactionConflictException') throw error;
        await time.sleep(300);
      }
    }
  }
}

function keyIn({ partition, sort }: TableDefinition, row: Item): Item {
  return only(row, sort === undefined ? [partition] : [partition, sort]);
}

function only(row: Changes, names: readonly string[]): Item {
  return Object.fromEntries(
    names.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])),
  ) as Item;
}
