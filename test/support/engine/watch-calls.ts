/** Watches the calls of a DynamoDB client: their names, each followed by the capacity that it consumed. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

interface WatchedCalls {
  /** `UpdateItemCommand`, `1`; a call that fails has no capacity. */
  readonly calls: readonly string[];
  stop(): void;
}

export function watchCalls({ middlewareStack }: DynamoDBDocumentClient): WatchedCalls {
  const calls: string[] = [];
  const name = 'watchCalls';
  middlewareStack.add(
    (next, context) => async (args) => {
      calls.push(String(context.commandName));
      Reflect.set(args.input, 'ReturnConsumedCapacity', 'TOTAL');
      const result = await next(args);
      const consumed = Reflect.get(Object(result.output), 'ConsumedCapacity');
      if (consumed !== undefined) calls.push(String(Reflect.get(consumed, 'CapacityUnits')));
      return result;
    },
    { step: 'initialize', name },
  );
  return { calls, stop: () => void middlewareStack.remove(name) };
}
