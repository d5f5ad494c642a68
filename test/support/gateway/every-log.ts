/** What all functions of the gateway have logged. */
import {
  FilterLogEventsCommand,
  type LogGroup,
  paginateDescribeLogGroups,
} from '@aws-sdk/client-cloudwatch-logs';
import { logsClient } from './gateway.ts';

export async function everyLog(): Promise<string[]> {
  const logs = logsClient();
  const lines: string[] = [];
  const logGroups: LogGroup[] = [];
  for await (const page of paginateDescribeLogGroups({ client: logs }, {})) {
    logGroups.push(...(page.logGroups ?? []));
  }
  for (const { logGroupName } of logGroups) {
    let nextToken: string | undefined;
    do {
      const page = await logs.send(
        new FilterLogEventsCommand({ logGroupName, ...(nextToken === undefined ? {} : { nextToken }) }),
      );
      lines.push(...(page.events ?? []).map((event) => event.message ?? ''));
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
  }
  logs.destroy();
  return lines;
}
