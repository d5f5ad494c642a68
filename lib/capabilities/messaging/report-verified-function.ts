/**
 * The function that reports verified one-time passwords to AWS as received. A separate function does this, so that a failure
 * of AWS does not delay the counts from the same stream. The function gives up a report after 15 minutes.
 */
import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { allow } from '../../constructs/allow.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { CapabilityProps } from '../grant-uses.ts';

export function createReportVerified(scope: Construct, { stage, storage }: CapabilityProps): void {
  const report = new GatewayFunction(scope, 'ReportVerified', {
    stage,
    functionName: 'report-verified',
    timeoutSeconds: 30,
  });
  // The action supports no resource.
  allow(report, ['sms-voice:PutMessageFeedback'], ['*']);
  const noResource = 'PutMessageFeedback has no resource type.';
  acknowledge(report.executionRole, {
    'AwsSolutions-IAM5[Resource::*]': noResource,
    'Serverless-LambdaStarPermissions': noResource,
  });
  const mapping = new EventSourceMapping(scope, 'VerifiedStream', {
    ...storage.grantStream(report, 'one-time-passwords'),
    batchSize: 10,
    // This delay is long enough for the result of the hand-over to be stored.
    maxBatchingWindow: Duration.seconds(10),
    maxRecordAge: Duration.hours(1),
    bisectBatchOnError: true,
    // The filter cannot select by channel. The function ignores passwords that were not sent by SMS.
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.isEqual('MODIFY'),
        dynamodb: { NewImage: { status: { S: FilterRule.isEqual('verified') } } },
      }),
    ],
  });
  acknowledge(mapping, {
    'Serverless-LambdaEventSourceMappingDestination':
      'The function logs a report that it gives up, and AWS counts the message as not received after an hour.',
  });
}
