/** A write on a condition: a refusal is an answer, which may show the row that refused it; every other fault is thrown. */
import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** Whether the write's condition held. */
export async function conditionHolds(write: Promise<unknown>): Promise<boolean> {
  const { applied } = await tryConditionalWrite(write);
  return applied;
}

type ConditionalWriteResult<Answer> =
  | { readonly applied: true; readonly answer: Answer }
  /** The row as it stands, where the write asked for it (`ReturnValuesOnConditionCheckFailure`) and there is one. */
  | { readonly applied: false; readonly row: Readonly<Record<string, unknown>> | undefined };

/** What the write answered, or the row that stood against it. */
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
