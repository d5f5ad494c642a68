/** Conditional writes: a false condition is a result and not an error. All other errors are thrown. */
import { isDeepStrictEqual } from 'node:util';
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DeleteItemCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  PutCommand,
  type PutCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Row } from './read-rows.dynamo.ts';

export function conditionalPut(client: DynamoDBDocumentClient, input: PutCommandInput) {
  return tryConditionalWrite(client.send(new PutCommand(input)));
}

export function conditionalUpdate(client: DynamoDBDocumentClient, input: UpdateCommandInput) {
  return tryConditionalWrite(client.send(new UpdateCommand(input)));
}

/**
 * Writes without SDK retries, so that after a lost response the write is applied at most once.
 *
 * @throws if it is unknown if the write was applied, or if it failed.
 */
export function conditionalUpdateOnce(client: DynamoDBDocumentClient, input: UpdateCommandInput) {
  const command = new UpdateCommand(input);
  let attempts = 0;
  command.middlewareStack.add(
    (next) => async (request) => {
      attempts += 1;
      if (attempts > 1) throw new Error('a write that must not be repeated was retried');
      return next(request);
    },
    // The document client adds the middleware of a command twice.
    { name: 'onceMiddleware', step: 'finalizeRequest', priority: 'low', override: true },
  );
  return tryConditionalWrite(client.send(command));
}

/**
 * Sets the attributes in `change`, and removes those that are undefined, if the attributes in `seen` are unchanged. If an
 * attribute in `seen` is undefined, it must be absent. If the SDK repeats the write after a lost response, it finds its own
 * values, and counts as applied.
 *
 * @returns the row after the write, or the row for which the condition was false
 */
export async function updateIf(
  client: DynamoDBDocumentClient,
  row: { readonly TableName: string; readonly Key: Row },
  seen: Row,
  change: Row,
): Promise<{ readonly applied: boolean; readonly row: Row | undefined }> {
  const update = setOrRemove(change);
  const names = Object.keys(seen);
  const present = names.filter((name) => seen[name] !== undefined);
  const writing = await conditionalUpdate(client, {
    ...row,
    UpdateExpression: update.UpdateExpression,
    ConditionExpression: names
      .map((name) => (present.includes(name) ? `#${name} = :seen_${name}` : `attribute_not_exists(#${name})`))
      .join(' AND '),
    ExpressionAttributeNames: {
      ...update.ExpressionAttributeNames,
      ...Object.fromEntries(names.map((name) => [`#${name}`, name])),
    },
    ExpressionAttributeValues: {
      ...update.ExpressionAttributeValues,
      ...Object.fromEntries(present.map((name) => [`:seen_${name}`, seen[name]])),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (writing.applied) return { applied: true, row: writing.response.Attributes };
  const { row: found } = writing;
  const isOwn = Object.entries(change).every(([name, value]) => isDeepStrictEqual(found?.[name], value));
  return { applied: found !== undefined && isOwn, row: found };
}

/** Makes a conditional update with DynamoDB's own types, without the document layer. */
export function conditionalUpdateItem(client: DynamoDBDocumentClient, input: UpdateItemCommandInput) {
  return tryConditionalWrite(client.send(new UpdateItemCommand(input)));
}

export function conditionalDeleteItem(client: DynamoDBDocumentClient, input: DeleteItemCommandInput) {
  return tryConditionalWrite(client.send(new DeleteItemCommand(input)));
}

async function tryConditionalWrite<Response>(write: Promise<Response>): Promise<
  | { readonly applied: true; readonly response: Response }
  /** The existing row, if the write requested it (`ReturnValuesOnConditionCheckFailure`). */
  | { readonly applied: false; readonly row: Row | undefined }
> {
  try {
    return { applied: true, response: await write };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const row =
      error.Item === undefined
        ? undefined
        : unmarshall(error.Item as Record<string, AttributeValue>, { wrapNumbers: Number });
    return { applied: false, row };
  }
}

export function setOrRemove(values: Row) {
  const names = Object.keys(values);
  const set = names.filter((name) => values[name] !== undefined);
  const removed = names.filter((name) => values[name] === undefined);
  const clauses = [
    set.length > 0 ? `SET ${set.map((name) => `#${name} = :${name}`).join(', ')}` : '',
    removed.length > 0 ? `REMOVE ${removed.map((name) => `#${name}`).join(', ')}` : '',
  ];
  return {
    UpdateExpression: clauses.join(' ').trim(),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    // DynamoDB refuses an empty list.
    ...(set.length > 0
      ? { ExpressionAttributeValues: Object.fromEntries(set.map((name) => [`:${name}`, values[name]])) }
      : {}),
  };
}
