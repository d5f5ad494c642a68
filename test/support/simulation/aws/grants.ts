/** The calls of the database that the role of a function permits, as the deploy grants them. */
import { type FunctionName, functionUses } from '../../../../shared/contract/function-uses.ts';
import type { Uses } from '../../../../shared/contract/uses.ts';

type Input = Readonly<Record<string, unknown>>;

interface Call {
  readonly service: string;
  readonly operation: string;
  readonly input: Input;
}

const ofTransaction: Readonly<Record<string, string>> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** Returns true if the role of the function permits the call. Calls of other services are not checked. */
export function isGranted(call: Call, functionName: string): boolean {
  if (call.service !== 'dynamodb') return true;
  const declared: readonly Uses[] = functionUses[functionName as FunctionName];
  const granted = new Set(
    declared.flatMap(({ tables = {} }) =>
      Object.entries(tables).flatMap(([table, actions]) =>
        actions.map((action) => `${action} ${keyOf(table)}`),
      ),
    ),
  );
  return actionsOf(call).every((action) => granted.has(action));
}

/** `messages` and `Messages`, `rate-counters` and `RateCounters` are one table. */
function keyOf(table: string): string {
  return table.replaceAll('-', '').toLowerCase();
}

/** Such as `GetItem messages`, or `Query by-client messages` for a query of an index. */
function actionsOf({ operation, input }: Call): string[] {
  const { TableName, IndexName, RequestItems, TransactItems } = input;
  if (RequestItems !== undefined)
    return Object.keys(Object(RequestItems)).map((table) => `${operation} ${keyOf(table)}`);
  if (TransactItems !== undefined)
    return (TransactItems as readonly Readonly<Record<string, Input>>[]).flatMap((item) =>
      Object.entries(item).map(
        ([kind, { TableName: table }]) => `${ofTransaction[kind]} ${keyOf(String(table))}`,
      ),
    );
  const index = IndexName === undefined ? '' : ` ${String(IndexName)}`;
  return [`${operation}${index} ${keyOf(String(TableName))}`];
}
