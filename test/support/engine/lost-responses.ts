/**
 * The functions' client of the engine of this run, to which some responses get lost: the call took effect, and the SDK
 * repeats it. It has no time limits, so that only these are repeated, however busy the machine is.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentClient, dynamoClient } from '../../../shared/platform/aws/clients.ts';
import { engineConfig } from './engine.ts';

interface LosingResponses {
  /** The caller closes it. */
  readonly dynamo: DynamoDBDocumentClient;
  /** Lost responses to writes that were applied. */
  readonly lost: () => number;
}

/** @param isLost - of the first response, which is 0, and each after it; a repeated call has a response of its own */
export function losingResponses(isLost: (response: number) => boolean): LosingResponses {
  const client = dynamoClient({ ...engineConfig(), requestHandler: {} });
  let [responses, lost] = [0, 0];
  client.middlewareStack.add(
    (next) => async (args) => {
      const response = responses;
      responses += 1;
      if (!isLost(response)) return next(args);
      const [outcome] = await Promise.allSettled([next(args)]);
      if (outcome.status === 'fulfilled') lost += 1;
      // The SDK's request handler throws this error at a timeout.
      throw Object.assign(new Error('no response in time'), { name: 'TimeoutError' });
    },
    // Within the SDK's retries, around the reading of the response.
    { step: 'deserialize', priority: 'high', name: 'loseResponses' },
  );
  return { dynamo: documentClient(client), lost: () => lost };
}
