/** Conditional writes: a failed condition is a result and not an error. Every other error is thrown. */
import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** Whether the write's condition was met, and so the write applied. */
export async function conditionHolds(write: Promise<unknown>): Promise<boolean> {
  const { applied } = await tryConditionalWrite(write);
  return applied;
}

type ConditionalWriteResult<Answer> =
  | { readonly applied: true; readonly answer: Answer }
  /** The existing row, if there is one and the write asked for it (`ReturnValuesOnConditionCheckFailure`). */
  | { readonly applied: false; readonly row: Readonly<Record<string, unknown>> | undefined };

/** The write's response, or the row that did not meet its condition. */
export async function tryConditionalWrite<Answer>(
  write: Promise<Answer>,
): Promise<ConditionalWriteResult<Answer>> {
  try {
    return { applied: true, answer: await write };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const row =
      error.Item === undefined ? undefined : unmarshall(error.Item as Record<string, AttributeValue>);
    return { applied: false, row };
  }
}
