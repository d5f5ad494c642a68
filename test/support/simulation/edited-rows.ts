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
  const drawn = oneOf<Value | undefined>(random, random() < 0.65 ? plain() : rare());
  return isEqualItem({ value }, { ...(drawn && { value: drawn }) }) ? undefined : drawn;

  /** What is removed, emptied, or of another type. */
  function plain(): [undefined, ...Value[]] {
    if ('N' in value) return [undefined, { NULL: true }, { S: value.N }, { S: '' }];
    if ('BOOL' in value) return [undefined, { NULL: true }, { S: String(value.BOOL) }];
    if ('L' in value) return [undefined, { NULL: true }, { S: JSON.stringify(value.L) }, { L: [] }];
    if ('M' in value) return [undefined, { NULL: true }, { L: Object.values(value.M) }, { M: {} }];
    return [undefined, { NULL: true }, { N: '1' }, { S: '' }, ...('S' in value ? dayBefore(value.S) : [])];
  }

  function rare(): [Value | undefined, ...Value[]] {
    if ('S' in value) {
      const { S } = value;
      return [{ S: ` ${S} ` }, { S: `${S}x` }, { L: [value] }, { BOOL: false }];
    }
    if ('N' in value)
      return [{ N: '-1' }, { N: '0.5' }, { N: '1e30' }, { N: `-${value.N.replace('-', '')}` }, { M: {} }];
    if ('BOOL' in value) return [{ N: '1' }, { S: 'yes' }, { BOOL: !value.BOOL }];
    if ('L' in value) {
      const [first, ...rest] = value.L;
      const changed = first && mistakenFor(random, first);
      return [
        { M: Object.fromEntries(value.L.entries()) },
        { L: changed === undefined ? rest : [changed, ...rest] },
      ];
    }
    if ('M' in value) {
      const [name = ''] = Object.keys(value.M).toSorted(() => random() - 0.5);
      const { [name]: inner, ...others } = value.M;
      const changed = inner && mistakenFor(random, inner);
      return [{ S: 'none' }, { M: changed === undefined ? others : { ...others, [name]: changed } }];
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

/** Attributes of counts are told apart by their times and causes, which are no matter here: `m1439`, `messages_d20`. */
const kindOf = (name: string): string => name.replace(/[\d .].*/s, '');

/** A row of the table, and what somebody makes of the attribute that was edited least in this run; or adds to it. */
export function drawnEdit(
  { database, record }: Stage,
  random: Random,
  table: string,
): { readonly row: Item; readonly changes: Changes } | undefined {
  const definition = database.definitions.find(({ name }) => name === table);
  if (definition === undefined) throw new Error(`no table ${table}`);
  const attributes = database.rows(table).flatMap((row) => {
    const keys = ['remark', ...Object.keys(keyIn(definition, row))];
    return Object.keys(row).flatMap((name) => (keys.includes(name) ? [] : [{ row, name }]));
  });
  const edited = record.editedRows
    .filter((one) => one.table === table)
    .flatMap(({ changes }) => Object.keys(changes).map(kindOf));
  const byKind = Map.groupBy(attributes, ({ name }) => kindOf(name));
  const timesOf = (kind: string): number => edited.filter((one) => one === kind).length;
  const least = Math.min(...[...byKind.keys()].map(timesOf));
  const kinds = [...byKind].flatMap(([kind, ofKind]) => (timesOf(kind) === least ? [ofKind] : []));
  const ofKind = kinds[Math.floor(random() * kinds.length)] ?? [];
  // Mostly one of the latest, of which more is to come.
  const first = random() < 0.6 ? Math.max(0, ofKind.length - 5) : 0;
  const { row, name } = ofKind[wholeBetween(random, first, ofKind.length - 1)] ?? {};
  const value = name && row?.[name];
  if (row === undefined || name === undefined || !value) return undefined;
  if (random() < 0.1) return { row, changes: { remark: { S: 'by hand' } } };
  const indexed = Object.values(definition.indexes).flatMap(({ partition, sort }) => [partition, sort]);
  // DynamoDB takes nothing but a text for the key of an index.
  const changed =
    indexed.includes(name) && 'S' in value
      ? oneOf(random, [undefined, { S: `${value.S} ` }, ...dayBefore(value.S)])
      : mistakenFor(random, value);
  return { row, changes: { [name]: changed } };
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
