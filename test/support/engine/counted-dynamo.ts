/** A DynamoDB client that counts its calls and the capacity that they consume. */
import { DynamoDB, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../../../shared/platform/aws/clients.ts';
import { repeatingLocked } from './engine.ts';

export interface Counted {
  readonly client: DynamoDB;
  readonly documents: DynamoDBDocumentClient;
  /** `incomplete` are answers after which another call is needed for the rest. */
  readonly used: { calls: number; units: number; incomplete: number };
}

export function countedDynamo(config: DynamoDBClientConfig): Counted {
  const client = repeatingLocked(new DynamoDB(config));
  const used = { calls: 0, units: 0, incomplete: 0 };
  client.middlewareStack.add(
    (next) => async (args) => {
      used.calls += 1;
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      used.units += consumed(result.output);
      if (isIncomplete(result.output)) used.incomplete += 1;
      return result;
    },
    { step: 'initialize', name: 'countCalls' },
  );
  return { client, documents: documentClient(client), used };
}

function consumed(output: unknown): number {
  const { ConsumedCapacity: capacity } = output as { ConsumedCapacity?: Capacity | Capacity[] };
  return [capacity ?? []].flat().reduce((units, { CapacityUnits = 0 }) => units + CapacityUnits, 0);
}

function isIncomplete(output: unknown): boolean {
  const { LastEvaluatedKey, UnprocessedKeys = {} } = output as Incomplete;
  return LastEvaluatedKey !== undefined || Object.keys(UnprocessedKeys).length > 0;
}

interface Incomplete {
  readonly LastEvaluatedKey?: object;
  readonly UnprocessedKeys?: object;
}

interface Capacity {
  readonly CapacityUnits?: number;
}
