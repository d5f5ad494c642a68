/** Reads the state of an alarm from CloudWatch, which the gateway itself never calls. */
import { SQSClient } from '@aws-sdk/client-sqs';
import { addressOf, signedPost } from '../../shared/platform/aws/signed-post.ts';

/** `OK`, `ALARM` or `INSUFFICIENT_DATA`. @throws Error where there is no such alarm */
export async function alarmState(name: string): Promise<string> {
  // Every client finds the region and the credentials of the environment in the same way.
  const { config } = new SQSClient({});
  const address = process.env.AWS_ENDPOINT_URL ?? addressOf('monitoring', await config.region());
  const response = await signedPost(config, {
    service: 'monitoring',
    endpoint: new URL(address),
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: new URLSearchParams({
      Action: 'DescribeAlarms',
      Version: '2010-08-01',
      'AlarmNames.member.1': name,
    }).toString(),
  });
  const text = await response.text();
  const [, state] = /<StateValue>(\w+)<\/StateValue>/.exec(text) ?? [];
  if (state === undefined) throw new Error(`CloudWatch knows no state of ${name}: ${response.status}`);
  return state;
}
