/** Runs the function that queues due rows at once, so that a test need not wait for its minute. */
import { InvokeCommand, type LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';

export async function runQueueDueRows(lambda: LambdaClient): Promise<void> {
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {}))
    for (const { FunctionName = '' } of Functions) {
      if (!FunctionName.includes('QueueDueRows')) continue;
      const { FunctionError } = await lambda.send(new InvokeCommand({ FunctionName, Payload: '{}' }));
      if (FunctionError !== undefined) throw new Error(`${FunctionName}: ${FunctionError}`);
      return;
    }
  throw new Error('no function queues due rows');
}
