/**
 * The function that reports verified one-time passwords to AWS as received. It is one of its own, so that a failure of AWS does
 * not delay the counting of the same stream. AWS takes a message as not received after an hour, so older records are left out.
 */
import { Duration } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { CapabilityProps } from '../capability-props.ts';

export function createReportVerified(scope: Construct, { stage, storage }: CapabilityProps): void {
  const report = new GatewayFunction(scope, 'ReportVerified', {
    stage,
    functionName: 'report-verified',
    timeoutSeconds: 30,
  });
  storage.grant(report, 'messages', 'GetItem');
  storage.grant(report, 'one-time-passwords', 'GetItem');
  // AWS knows no resource for this action.
  Grant.addToPrincipal({ grantee: report, actions: ['sms-voice:PutMessageFeedback'], resourceArns: ['*'] });
  const noResource = 'PutMessageFeedback has no resource type.';
  acknowledge(report.executionRole, {
    'AwsSolutions-IAM5[Resource::*]': noResource,
    'Serverless-LambdaStarPermissions': noResource,
  });
  const mapping = new EventSourceMapping(scope, 'VerifiedStream', {
    ...storage.grantStream(report, 'one-time-passwords'),
    batchSize: 10,
    // By then the hand-over of the message is stored.
    maxBatchingWindow: Duration.seconds(10),
    maxRecordAge: Duration.hours(1),
    bisectBatchOnError: true,
    // By SMS at once, or as a later leg.
    filters: [{ channel: { S: FilterRule.isEqual('sms') } }, { falls_back_to_sms: { BOOL: [true] } }].map(
      (bySms) =>
        FilterCriteria.filter({
          eventName: FilterRule.isEqual('MODIFY'),
          dynamodb: { NewImage: { status: { S: FilterRule.isEqual('verified') }, ...bySms } },
        }),
    ),
  });
  acknowledge(mapping, {
    'Serverless-LambdaEventSourceMappingDestination':
      'A report that failed for an hour is worthless, because AWS has taken the message as not received.',
  });
}
