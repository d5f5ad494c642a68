/**
 * An endpoint's destination can be a queue or an event bus in the client's own AWS account instead of a URL. The request is
 * rejected if the gateway could never use the destination.
 */
import * as z from 'zod/mini';
import type { Environment } from '../platform/env.ts';

export type AwsDestination =
  | { readonly sqs: { readonly queue_arn: string; readonly role_arn: string } }
  | { readonly eventbridge: { readonly bus_arn: string; readonly role_arn: string } };

export function resourceArnOf(destination: AwsDestination): string {
  return 'sqs' in destination ? destination.sqs.queue_arn : destination.eventbridge.bus_arn;
}

export function roleArnOf(destination: AwsDestination): string {
  return ('sqs' in destination ? destination.sqs : destination.eventbridge).role_arn;
}

/** Returns the destination from an endpoint's row, which stores the ARN of the queue or bus in place of the URL. */
export function fromArns(arn: string, role_arn: string): AwsDestination {
  return readArn(arn, 'sqs') === undefined
    ? { eventbridge: { bus_arn: arn, role_arn } }
    : { sqs: { queue_arn: arn, role_arn } };
}

const arn =
  /^arn:(?<partition>aws|aws-cn|aws-us-gov):(?<service>[a-z]+):(?<region>[a-z0-9-]*):(?<account>\d{12}):(?<resource>.+)$/;
const regionName = /^[a-z]{2}(-[a-z]+){1,2}-\d{1,2}$/;
export const arnLengthMax = 1600;
/** At most 80 characters, including the suffix of a FIFO queue. */
const queueName = /^(?=.{1,80}$)[A-Za-z0-9_-]+(\.fifo)?$/;
/** Partner buses (`aws.partner/…`) are excluded, because they accept only the events of their partner. */
const busName = /^event-bus\/(?!aws\.)[/.\-_A-Za-z0-9]{1,256}$/;
const roleName = /^role\/(?:[!-~]{1,510}\/)?[\w+=,.@-]{1,64}$/;

export function isDestinationArn(text: string): boolean {
  return ['sqs', 'events'].some((service) => readArn(text, service) !== undefined);
}

/** @throws Error if the text is not an ARN of the service. */
export function parseArn(text: string, service: 'sqs' | 'events' | 'iam') {
  const found = readArn(text, service);
  if (found === undefined) throw new Error(`not the ARN of a resource of ${service}`);
  return found;
}

function readArn(text: string, service: string) {
  if (text.length > arnLengthMax) return undefined;
  const groups = arn.exec(text)?.groups;
  if (groups === undefined || groups.service !== service) return undefined;
  const { partition = '', region = '', account = '', resource = '' } = groups;
  return { partition, region, account, resource };
}

/** Returns the domain of the host names of AWS services. */
export function domainOf(partition: string): string {
  return partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
}

const example = {
  sqs: 'an SQS queue, such as arn:aws:sqs:eu-west-1:123456789012:webhooks',
  events: 'an EventBridge event bus, such as arn:aws:events:eu-west-1:123456789012:event-bus/webhooks',
  iam: 'an IAM role, such as arn:aws:iam::123456789012:role/webhooks',
} as const;

/** Returns the schema of an ARN in a request, with the gateway's own error texts. */
function arnSchema(service: keyof typeof example, resource: RegExp, partition: string) {
  return z.string().check(
    z.superRefine((text, context) => {
      const issue = (message: string) => context.addIssue({ code: 'custom', message });
      const found = readArn(text, service);
      const isRegional = service !== 'iam';
      if (
        found === undefined ||
        !resource.test(found.resource) ||
        (isRegional ? !regionName.test(found.region) : found.region !== '')
      )
        issue(`must be the ARN of ${example[service]}`);
      else if (found.partition !== partition)
        issue(`must be in the partition ${partition}, as this gateway is`);
    }),
  );
}

function accountIssue(resourceArn: string, roleArn: string, ownAccount: string): string | undefined {
  const [resourceAccount, roleAccount] = [resourceArn, roleArn].map(
    (text) => arn.exec(text)?.groups?.account,
  );
  if (resourceAccount === undefined || roleAccount === undefined) return undefined;
  if (roleAccount === ownAccount) return 'must be in your own AWS account';
  return resourceAccount === roleAccount
    ? undefined
    : 'must be in the same account as the queue or event bus';
}

export function awsDestinationSchemas({
  GATEWAY_PARTITION: partition,
  GATEWAY_ACCOUNT: account,
}: Environment<'GATEWAY_PARTITION' | 'GATEWAY_ACCOUNT'>) {
  const role = arnSchema('iam', roleName, partition);
  const inOneAccount = (resourceOf: 'queue_arn' | 'bus_arn') =>
    z.superRefine((given: { role_arn: string; queue_arn?: string; bus_arn?: string }, context) => {
      const message = accountIssue(given[resourceOf] ?? '', given.role_arn, account);
      if (message !== undefined) context.addIssue({ code: 'custom', message, path: ['role_arn'] });
    });
  return {
    sqs: z
      .object({ queue_arn: arnSchema('sqs', queueName, partition), role_arn: role })
      .check(inOneAccount('queue_arn')),
    eventbridge: z
      .object({ bus_arn: arnSchema('events', busName, partition), role_arn: role })
      .check(inOneAccount('bus_arn')),
  };
}
