/** The functions' client of the engine of this run, to which some answers get lost: the call took effect, and the SDK repeats it. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentClient, dynamoClient } from '../../../shared/platform/aws/clients.ts';
import { engineConfig } from './engine.ts';

interface LosingAnswers {
  /** The caller closes it. */
  readonly dynamo: DynamoDBDocumentClient;
  /** Lost answers to writes that were applied. */
  readonly lost: () => number;
}

/** @param isLost - of the first answer, which is 0, and each after it; a repeated call has an answer of its own */
export function losingAnswers(isLost: (answer: number) => boolean): LosingAnswers {
  const client = dynamoClient(engineConfig());
  let [answers, lost] = [0, 0];
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = answers;
      answers += 1;
      if (!isLost(answer)) return next(args);
      const [outcome] = await Promise.allSettled([next(args)]);
      if (outcome.status === 'fulfilled') lost += 1;
      // What the SDK's request handler throws when the time for a request is over.
      throw Object.assign(new Error('no answer in time'), { name: 'TimeoutError' });
    },
    // Within the SDK's retries, around the reading of the answer.
    { step: 'deserialize', priority: 'high', name: 'loseAnswers' },
  );
  return { dynamo: documentClient(client), lost: () => lost };
}
