/** Where a deployed stage has its tables and queues: what its stack publishes. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';

const timeLimits = { connectionTimeout: 2000, requestTimeout: 10_000, throwOnRequestTimeout: true };

/** The outputs of a stack, with the credentials and the region of the environment. */
export async function stackOutputs(stackName: string): Promise<Readonly<Record<string, string>>> {
  const client = new CloudFormationClient({ maxAttempts: 3, requestHandler: timeLimits });
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    return Object.fromEntries(
      (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
    );
  } finally {
    client.destroy();
  }
}
