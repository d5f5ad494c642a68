/**
 * Canary deployments of the functions that handle messages: new code gets a tenth of a function's calls for five minutes,
 * then all calls. If an alarm on failures goes off (`alarms.ts`), CodeDeploy rolls the new code back.
 *
 * A change of shared code changes every function. CodeDeploy and Lambda throttle many simultaneous deployments, which then
 * fail: aws-cdk issue 21516 (15 deployment groups), serverless-application-model issue 351 (13 functions). So only a few
 * canaries run at once, and all other functions switch to the new code immediately.
 */
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { canaried, GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/** The maximum number of canaries at once: each one waits for the canary that is this many places before it. */
const canariesAtOnce = 6;

export class Canary extends Construct {
  constructor(scope: Construct, id: string, stage: StageSettings, alarms: readonly Alarm[]) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    // All deployment groups share a role, because a stack can contain only 500 resources.
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
      // While an alias has two versions, Lambda refuses to change its provisioned concurrency.
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
      // The group is updated first, so that `ignoreAlarmConfiguration` applies to this deploy's code.
      each.liveAlias.node.addDependency(group);
      const before = functions[index - canariesAtOnce];
      if (before !== undefined) each.liveAlias.node.addDependency(before.liveAlias);
    }
  }
}
