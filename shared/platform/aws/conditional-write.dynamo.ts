/** Conditional writes: a failed condition is a result and not an error. Every other error is thrown. */
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DeleteCommandInput,
  type DynamoDBDocumentClient,
  PutCommand,
  type PutCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

export function conditionalPut(client: DynamoDBDocumentClient, input: PutCommandInput) {
  return tryConditionalWrite(client.send(new PutCommand(input)));
}

export function conditionalUpdate(client: DynamoDBDocumentClient, input: UpdateCommandInput) {
  return tryConditionalWrite(client.send(new UpdateCommand(input)));
}

export function conditionalDelete(client: DynamoDBDocumentClient, input: DeleteCommandInput) {
  return tryConditionalWrite(client.send(new DeleteCommand(input)));
}

/** In DynamoDB's own form, without the document layer. */
export function conditionalUpdateItem(client: DynamoDBDocumentClient, input: UpdateItemCommandInput) {
  return tryConditionalWrite(client.send(new UpdateItemCommand(input)));
}

type ConditionalWriteResult<Response> =
  | { readonly applied: true; readonly response: Response }
  /** The existing row, if there is one and the write asked for it (`ReturnValuesOnConditionCheckFailure`). */
  | { readonly applied: false; readonly row: Readonly<Record<string, unknown>> | undefined };

/** The write's response, or the row that did not meet its condition. */
async function tryConditionalWrite<Response>(
  write: Promise<Response>,
): Promise<ConditionalWriteResult<Response>> {
  try {
    return { applied: true, response: await write };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const row =
      error.Item === undefined ? undefined : unmarshall(error.Item as Record<string, AttributeValue>);
    return { applied: false, row };
  }
}
