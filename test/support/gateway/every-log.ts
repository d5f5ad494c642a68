/** Reads the logs of all functions of the gateway, and finds the calls that IAM denied. */
import { paginateDescribeLogGroups, paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { logsClient } from './gateway.ts';

const denial = /AccessDenied|not authorized to perform/;
const shownCharacters = 500;

interface Line {
  readonly logGroup: string;
  readonly text: string;
}

async function* linesOf(): AsyncGenerator<Line> {
  const client = logsClient();
  try {
    for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, {}))
      for (const { logGroupName = '' } of logGroups)
        for await (const { events = [] } of paginateFilterLogEvents({ client }, { logGroupName }))
          for (const { message = '' } of events) yield { logGroup: logGroupName, text: message };
  } finally {
    client.destroy();
  }
}

export function everyLog(): Promise<string[]> {
  return Array.fromAsync(linesOf(), ({ text }) => text);
}

/** Each denial with its log group. */
export async function accessDenials(): Promise<string[]> {
  const lines = await Array.fromAsync(linesOf());
  return lines
    .filter(({ text }) => denial.test(text))
    .map(({ logGroup, text }) => `${logGroup}: ${text.slice(0, shownCharacters)}`);
}
