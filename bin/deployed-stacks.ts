/** Reads the outputs of deployed stacks, with the credentials and the region of the environment. */
import { CloudFormationClient, paginateDescribeStacks } from '@aws-sdk/client-cloudformation';

/** The time limits of calls that an administrator waits for. */
export const timeLimits = { connectionTimeout: 2000, requestTimeout: 10_000, throwOnRequestTimeout: true };

/** Returns the stack with this name, or all stacks of the account and region. */
export async function deployedStacks(stackName?: string) {
  const client = new CloudFormationClient({ maxAttempts: 3, requestHandler: timeLimits });
  const found: { readonly name: string; readonly outputs: Readonly<Record<string, string>> }[] = [];
  try {
    const wanted = stackName === undefined ? {} : { StackName: stackName };
    for await (const { Stacks = [] } of paginateDescribeStacks({ client }, wanted)) {
      for (const { StackName = '', Outputs = [] } of Stacks) {
        const outputs = Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
        found.push({ name: StackName, outputs: Object.fromEntries(outputs) });
      }
    }
    return found;
  } finally {
    client.destroy();
  }
}
