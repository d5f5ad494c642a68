/** Edits a row as an administrator does in the DynamoDB console. */
import { type Item, isEqualItem } from './aws/attribute-values.ts';
import type { TableDefinition } from './aws/dynamodb.ts';
import { ServiceError } from './aws/service-error.ts';
import type { RowEdit } from './outside/record.ts';
import type { Stage } from './stage.ts';

type Changes = RowEdit['changes'];

/**
 * Changes attributes of a row if it still exists; removes those without a value.
 *
 * @returns restores what nobody has changed since
 */
export async function editRow(
  { database, record, time }: Stage,
  table: string,
  row: Item,
  changes: Changes,
): Promise<(() => Promise<void>) | undefined> {
  const definition = database.definitions.find(({ name }) => name === table);
  if (definition === undefined) throw new Error(`no table ${table}`);
  const key = keyIn(definition, row);
  const current = (): Item | undefined =>
    database.rows(table).find((one) => isEqualItem(keyIn(definition, one), key));
  const before = current();
  if (before === undefined) return undefined;
  await set(changes);
  const edit: RowEdit = { atMs: time.now(), table, key, before, changes };
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
