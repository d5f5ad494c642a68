/**
 * DynamoDB in memory, for the simulation only: the calls that the gateway makes, in the service's own protocol. A call is
 * one step of the world: between its beginning and its end no other call happens. `test/engine/simulation` compares it
 * with Amazon's own engine.
 *
 * Why: docs/decisions/simulation-has-its-own-database.md
 */
import { type Item, itemBytes, storedItem } from './attribute-values.ts';
import { parseCondition, UpdateError, ValidationError } from './expression-syntax.ts';
import { checkExpressions, holds, updated } from './expressions.ts';
import type { Input } from './input.ts';
import { tableReads } from './reads.ts';
import { ServiceError } from './service-error.ts';
import { type DynamoDbWorld, noItem, picked, storedTables, type TableDefinition } from './tables.ts';

export type { Change, KeyNames, TableDefinition } from './tables.ts';

const itemBytesMax = 409_600;

export type DynamoDb = ReturnType<typeof dynamoDb>;

export function dynamoDb(definitions: readonly TableDefinition[], world: DynamoDbWorld) {
  const tables = storedTables(definitions, world);
  const { tableOf, keyOf, keyAttributes, checkKey, rowOf, store, meetTransaction } = tables;
  const reads = tableReads(tables, world.leavesUndone);

  function check(input: Input, item: Item | undefined): void {
    const { ConditionExpression: expression } = input;
    if (expression === undefined || holds(parseCondition(expression), item ?? noItem, input)) return;
    const shown = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && item !== undefined;
    throw new ServiceError(
      'ConditionalCheckFailedException',
      'The conditional request failed',
      shown ? { Item: item } : {},
    );
  }

  /** @throws ValidationError if the item is too large for a row */
  function fitting(item: Item): Item {
    if (itemBytes(item) > itemBytesMax)
      throw new ValidationError('Item size has exceeded the maximum allowed size');
    return storedItem(item);
  }

  /** Returns the row after a write. Checks the condition of the write. */
  function written(kind: 'Put' | 'Update' | 'Delete' | 'ConditionCheck', input: Input) {
    const table = tableOf(input.TableName);
    const named = kind === 'Put' ? keyAttributes(table, input.Item) : input.Key;
    checkKey(table, named);
    if (Object.values(named).some((value) => 'S' in value && value.S === ''))
      throw new ValidationError(
        'One or more parameter values are not valid: the value of a key is an empty string',
      );
    checkExpressions([input.ConditionExpression, input.UpdateExpression], input);
    const key = keyOf(table, named);
    const before = rowOf(table, key)?.item;
    check(input, before);
    if (kind === 'ConditionCheck') return { table, key, before, after: before, touched: [] };
    if (kind === 'Delete') return { table, key, before, after: undefined, touched: [] };
    if (kind === 'Put') return { table, key, before, after: fitting(input.Item), touched: [] };
    const { item, touched } = updated(before ?? named, input.UpdateExpression ?? '', input);
    if (touched.some((name) => named[name] !== undefined))
      throw new ValidationError('Cannot update attribute: This attribute is part of the key');
    return { table, key, before, after: fitting(item), touched };
  }

  function write(kind: 'Put' | 'Update' | 'Delete', input: Input): object {
    const { table, key, before, after, touched } = written(kind, input);
    meetTransaction(table, key);
    store(table, key, after);
    const Attributes = returned(input.ReturnValues, before, after, touched);
    return Attributes === undefined || Object.keys(Attributes).length === 0 ? {} : { Attributes };
  }

  function returned(
    wanted = 'NONE',
    before: Item | undefined,
    after: Item | undefined,
    touched: readonly string[],
  ): Item | undefined {
    if (wanted === 'ALL_OLD') return before;
    if (wanted === 'ALL_NEW') return after;
    if (wanted === 'UPDATED_NEW') return after && picked(after, touched);
    if (wanted === 'UPDATED_OLD') return before && picked(before, touched);
    return undefined;
  }

  type WriteRequest = {
    readonly PutRequest?: { readonly Item: Item };
    readonly DeleteRequest?: { readonly Key: Item };
  };

  function batchWrite({ RequestItems }: { readonly RequestItems: Record<string, WriteRequest[]> }): object {
    const UnprocessedItems: Record<string, unknown> = {};
    const count = Object.values(RequestItems).flat().length;
    if (count > 25) throw new ValidationError('Too many items requested for the BatchWriteItem call');
    for (const [TableName, requests] of Object.entries(RequestItems)) {
      const undone: WriteRequest[] = [];
      for (const request of requests) {
        if (count > 1 && world.leavesUndone()) undone.push(request);
        else if (request.PutRequest !== undefined)
          write('Put', { TableName, Key: noItem, Item: request.PutRequest.Item });
        else if (request.DeleteRequest !== undefined)
          write('Delete', { TableName, Key: request.DeleteRequest.Key, Item: noItem });
      }
      if (undone.length > 0) UnprocessedItems[TableName] = undone;
    }
    return { UnprocessedItems };
  }

  type TransactItem = Partial<Record<'Put' | 'Update' | 'Delete' | 'ConditionCheck', Input>>;
  /** A repeated token within ten minutes is the same transaction. */
  const tokens = new Map<string, number>();

  function transactWrite(input: {
    readonly TransactItems: readonly TransactItem[];
    readonly ClientRequestToken?: string;
  }): object {
    const { TransactItems, ClientRequestToken: requestToken } = input;
    if (requestToken !== undefined && world.now() - (tokens.get(requestToken) ?? -Infinity) < 600_000)
      return {};
    if (TransactItems.length > 100)
      throw new ValidationError('Member must have length less than or equal to 100');
    const reasons: object[] = [];
    const writes = TransactItems.map((item) => {
      const [kind, each] = Object.entries(item)[0] as ['Put' | 'Update' | 'Delete' | 'ConditionCheck', Input];
      try {
        const result = written(kind, each);
        meetTransaction(result.table, result.key);
        reasons.push({ Code: 'None' });
        return { kind, ...result };
      } catch (error) {
        if (error instanceof UpdateError) {
          reasons.push({ Code: 'ValidationError', Message: error.message });
          return undefined;
        }
        if (!(error instanceof ServiceError)) throw error;
        const isConflict = error.code === 'TransactionConflictException';
        const Code = isConflict ? 'TransactionConflict' : error.code.replace('Exception', '');
        reasons.push({ Code, Message: error.message, ...error.fields });
        return undefined;
      }
    });
    const ids = writes.map((each) => each && `${each.table.definition.name}\0${each.key.join('\0')}`);
    if (ids.some((id, i) => id !== undefined && ids.indexOf(id) < i))
      throw new ValidationError('Transaction request cannot include multiple operations on one item');
    if (writes.includes(undefined)) {
      const codes = reasons.map((reason) => Reflect.get(reason, 'Code')).join(', ');
      throw new ServiceError(
        'TransactionCanceledException',
        `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
        { CancellationReasons: reasons },
      );
    }
    for (const each of writes) {
      if (each === undefined) continue;
      if (each.kind !== 'ConditionCheck') store(each.table, each.key, each.after);
      each.table.transactions.set(each.key.join('\0'), world.now());
    }
    if (requestToken !== undefined) tokens.set(requestToken, world.now());
    return {};
  }

  const operations: Readonly<Record<string, (input: never) => object>> = {
    GetItem: reads.getItem,
    PutItem: (input: Input) => write('Put', input),
    UpdateItem: (input: Input) => write('Update', input),
    DeleteItem: (input: Input) => write('Delete', input),
    Query: reads.query,
    Scan: reads.scan,
    BatchGetItem: reads.batchGet,
    BatchWriteItem: batchWrite,
    TransactWriteItems: transactWrite,
  };

  return {
    /** @throws ServiceError with which the service answers. */
    call(operation: string, input: unknown): object {
      const run = operations[operation];
      if (run === undefined) throw new Error(`the simulation has no ${operation} of DynamoDB`);
      try {
        return run(input as never);
      } catch (error) {
        if (!(error instanceof ValidationError)) throw error;
        throw new ServiceError('ValidationException', error.message);
      }
    },

    /** All rows of a table as they are now. */
    rows(table: string): Item[] {
      return [...tableOf(table).partitions.values()].flatMap(({ entries }) =>
        [...entries.values()].map(({ item }) => item),
      );
    },

    /** Deletes the row by its TTL, if that is past for so long. */
    expire(table: string, item: Item, delayMs: number): void {
      const found = tableOf(table);
      const { ttl } = found.definition;
      if (ttl === undefined) return;
      const key = keyOf(found, item);
      const until = rowOf(found, key)?.item[ttl];
      if (until !== undefined && 'N' in until && Number(until.N) * 1000 + delayMs < world.now())
        store(found, key, undefined);
    },

    definitions,
    largestRow: tables.largestRow,
    peakWriteUnits: tables.peakWriteUnits,
  };
}
