/** The resources of a deployed stack, with the credentials and the region of the environment. */
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';

const timeLimits = { connectionTimeout: 2000, requestTimeout: 10_000, throwOnRequestTimeout: true };

export async function stackResources(StackName: string) {
  // Retries often: there are few calls, but the service refuses many calls at the same time.
  const client = new CloudFormationClient({ maxAttempts: 8, requestHandler: timeLimits });
  const found: { readonly logicalId: string; readonly type: string; readonly physicalId: string }[] = [];
  try {
    // A resource without a physical id does not exist yet.
    for await (const page of paginateListStackResources({ client }, { StackName }))
      for (const { LogicalResourceId, ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? [])
        if (LogicalResourceId && ResourceType && PhysicalResourceId)
          found.push({ logicalId: LogicalResourceId, type: ResourceType, physicalId: PhysicalResourceId });
    return found;
  } finally {
    client.destroy();
  }
}
