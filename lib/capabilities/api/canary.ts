/**
 * Canary deployments: new code gets a tenth of each function's calls for five minutes, then all. CodeDeploy rolls it back
 * when the function's or the API's alarms (`api-stage.ts`) go off.
 */
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

export class Canary extends Construct {
  constructor(scope: Construct, id: string, stage: StageSettings, apiAlarms: readonly Alarm[]) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    // All deployment groups share one role: one for each function would take 30 of the stack's 500 resources.
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
    const functions = scope.node.findAll().filter((construct) => construct instanceof GatewayFunction);
    for (const each of functions) {
      const group = new LambdaDeploymentGroup(this, each.node.id, {
        application,
        alias: each.liveAlias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        role: role.withoutPolicyUpdates(),
        alarms: [each.errors, ...apiAlarms],
        ignoreAlarmConfiguration: stage.ignoreAlarmConfiguration,
        autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
      });
      // The group is updated first, so that `ignoreAlarmConfiguration` applies to the code of the same deploy.
      each.liveAlias.node.addDependency(group);
    }
  }
}
