/**
 * New code by degrees: a tenth of each function's calls for five minutes, then all, and all back to the code before
 * as soon as the function fails or the API answers with errors.
 */
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

export class Canary extends Construct {
  constructor(scope: Construct, id: string, stage: StageSettings, watched: readonly Alarm[]) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    // One for all: each may do the same, and 22 more of them are 22 of the stack's 500 resources.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSCodeDeployRoleForLambdaLimited'),
      ],
    });
    acknowledge(role, {
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
        'The policy that AWS made for this very role; it names what CodeDeploy calls.',
    });
    const functions = scope.node.findAll().filter((construct) => construct instanceof GatewayFunction);
    for (const each of functions) {
      const group = new LambdaDeploymentGroup(this, each.node.id, {
        application,
        alias: each.liveAlias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        role: role.withoutPolicyUpdates(),
        alarms: [each.errors, ...watched],
        ignoreAlarmConfiguration: stage.ignoreAlarmConfiguration,
        autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
      });
      // The group's settings first: with `ignoreAlarmConfiguration` it lets the same deploy's code pass.
      each.liveAlias.node.addDependency(group);
    }
  }
}
