/**
 * Canary deployments of the functions that messages pass: new code gets a tenth of the function's calls for five minutes,
 * then all. CodeDeploy rolls back the new code when an alarm on failures goes off (`alarms.ts`).
 *
 * A change of shared code changes every function. CodeDeploy and Lambda throttle many simultaneous deployments, and
 * throttled deployments fail: aws-cdk issue 21516 (15 deployment groups), serverless-application-model issue 351 (13
 * functions). So only a few canaries run at the same time, and all other functions switch to the new code immediately.
 */
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { canaried, GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/** The maximum number of canaries at the same time: each canary waits for the canary this many places before it. */
const canariesAtOnce = 6;

export class Canary extends Construct {
  constructor(scope: Construct, id: string, stage: StageSettings, alarms: readonly Alarm[]) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    // All deployment groups share one role, because a stack may contain only 500 resources.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited'),
      ],
    });
    acknowledge(role, {
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
        "AWS's managed policy for this role.",
    });
    const functions = scope.node
      .findAll()
      .filter((construct) => construct instanceof GatewayFunction)
      .filter(({ functionFile }) => canaried.includes(functionFile))
      // Lambda refuses to change provisioned concurrency while an alias has two versions.
      .filter(({ provisionedConcurrency }) => provisionedConcurrency === undefined);
    for (const [index, each] of functions.entries()) {
      const group = new LambdaDeploymentGroup(this, each.node.id, {
        application,
        alias: each.liveAlias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        role: role.withoutPolicyUpdates(),
        alarms: [...alarms],
        ignoreAlarmConfiguration: stage.ignoreAlarmConfiguration,
        autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
      });
      // Updates the group first, so that `ignoreAlarmConfiguration` already applies to the code of the same deploy.
      each.liveAlias.node.addDependency(group);
      const before = functions[index - canariesAtOnce];
      if (before !== undefined) each.liveAlias.node.addDependency(before.liveAlias);
    }
  }
}
