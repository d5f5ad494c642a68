/**
 * Runs the function that queues due rows, so that a test need not wait for its minute. A run that could not queue all rows,
 * as on a busy machine, is repeated, as the next minute would repeat it.
 */
import { InvokeCommand, type LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { eventually } from './gateway.ts';

export async function runQueueDueRows(lambda: LambdaClient): Promise<void> {
  const names: string[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {}))
    names.push(...Functions.map(({ FunctionName = '' }) => FunctionName));
  const FunctionName = names.find((name) => name.includes('QueueDueRows'));
  if (FunctionName === undefined) throw new Error('no function queues due rows');
  await eventually(async () => {
    const { FunctionError } = await lambda.send(new InvokeCommand({ FunctionName, Payload: '{}' }));
    return FunctionError === undefined ? true : undefined;
  });
}
