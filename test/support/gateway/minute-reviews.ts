/** Starts the functions that run every minute at once, so that a test need not wait. */
import { InvokeCommand, type LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';

export async function minuteReviews(lambda: LambdaClient): Promise<() => Promise<void>> {
  const names: string[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {}))
    for (const { FunctionName = '' } of Functions)
      if (/SweepWebhooks|QueueDueRows/.test(FunctionName)) names.push(FunctionName);
  if (names.length !== 2) throw new Error(`functions that review: ${names.join()}`);
  return async () => {
    for (const FunctionName of names) {
      const { FunctionError } = await lambda.send(new InvokeCommand({ FunctionName, Payload: '{}' }));
      if (FunctionError !== undefined) throw new Error(`${FunctionName}: ${FunctionError}`);
    }
  };
}
