/** The function that posts webhooks. */
import { Aws } from 'aws-cdk-lib';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { workerTimeoutSeconds } from '../../../shared/contract/webhook-worker-times.ts';
import { allow } from '../../constructs/allow.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

export function createDeliverWebhook(scope: Construct, stage: StageSettings): GatewayFunction {
  const deliver = new GatewayFunction(scope, 'DeliverWebhook', {
    stage,
    functionName: 'deliver-webhook',
    timeoutSeconds: workerTimeoutSeconds,
    memoryMegabytes: 1024,
    // Each delivery loops through the queue until its last attempt (shared/webhook/delivery-queue.sqs.ts).
    recursiveLoop: true,
  });
  grantAssumeForeignRoles(deliver, stage);
  if (stage.webhookVpc !== undefined) joinVpc(deliver, stage.webhookVpc);
  return deliver;
}

/**
 * Lets the function assume clients' roles, to send to their queues and event buses. Clients name the roles, so any role is
 * permitted except roles in the gateway's own account. The client's external id is required
 * (shared/webhook/deliver/assumed-roles.sts.ts).
 */
function grantAssumeForeignRoles(to: GatewayFunction, stage: StageSettings): void {
  allow(to, ['sts:AssumeRole'], [`arn:${Aws.PARTITION}:iam::*:role/*`], {
    StringNotEquals: { 'aws:ResourceAccount': Aws.ACCOUNT_ID },
    // The emulator does not support this condition in a role's own policy.
    ...(stage.emulator ? {} : { Null: { 'sts:ExternalId': 'false' } }),
  });
  acknowledge(to.executionRole, {
    'AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:iam::*:role/*]':
      'Clients name roles in their own accounts, whose trust policies decide; roles of this account are excluded.',
  });
}

/** Sends from these subnets, whose NAT gateways have fixed addresses that clients can allow. */
function joinVpc(
  deliver: GatewayFunction,
  { subnetIds, securityGroupIds }: NonNullable<StageSettings['webhookVpc']>,
): void {
  (deliver.node.defaultChild as CfnFunction).vpcConfig = { subnetIds, securityGroupIds };
  // The actions that Lambda needs for its network interfaces. The interfaces do not exist yet, and the actions that
  // describe them support no resource.
  allow(
    deliver,
    [
      'ec2:AssignPrivateIpAddresses',
      'ec2:CreateNetworkInterface',
      'ec2:DeleteNetworkInterface',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSubnets',
      'ec2:UnassignPrivateIpAddresses',
    ],
    ['*'],
  );
  const ofLambda =
    'Lambda makes its network interfaces with these actions, which AWS documents for every resource.';
  acknowledge(deliver.executionRole, {
    'AwsSolutions-IAM5[Resource::*]': ofLambda,
    'Serverless-LambdaStarPermissions': ofLambda,
  });
}
