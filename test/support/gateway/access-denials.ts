/** Finds the calls that IAM denied, in the logs of all functions. */
import {
  CloudWatchLogsClient,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import type { GatewayUnderTest } from './gateway.ts';

const denial = /AccessDenied|not authorized to perform/;
const shownCharacters = 500;

/** Each denial with its log group. */
export async function accessDenials(aws: GatewayUnderTest['aws']): Promise<string[]> {
  const client = new CloudWatchLogsClient({
    endpoint: aws.endpoint,
    region: aws.region,
    credentials: { accessKeyId: aws.access_key_id, secretAccessKey: aws.secret_access_key },
  });
  const denials: string[] = [];
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, {})) {
    for (const { logGroupName } of logGroups) {
      for await (const { events = [] } of paginateFilterLogEvents({ client }, { logGroupName })) {
        for (const { message = '' } of events) {
          if (denial.test(message)) denials.push(`${logGroupName}: ${message.slice(0, shownCharacters)}`);
        }
      }
    }
  }
  client.destroy();
  return denials;
}
