/** A write on a condition: a refusal is an answer, which may show the row that refused it; every other fault is thrown. */
import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** Whether the write's condition held. */
export async function whereItFits(write: Promise<unknown>): Promise<boolean> {
  const { made } = await attempted(write);
  return made;
}

type Attempted<Answer> =
  | { readonly made: true; readonly answer: Answer }
  /** The row as it stands, where the write asked for it (`ReturnValuesOnConditionCheckFailure`) and there is one. */
  | { readonly made: false; readonly row: Readonly<Record<string, unknown>> | undefined };

/** What the write answered, or the row that stood against it. */
export async function attempted<Answer>(write: Promise<Answer>): Promise<Attempted<Answer>> {
  try {
    return { made: true, answer: await write };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const row =
      error.Item === undefined ? undefined : unmarshall(error.Item as Record<string, AttributeValue>);
    return { made: false, row };
  }
}
