/**
 * New code by degrees: a tenth of each function's calls for five minutes, then all, and all back to the code before
 * as soon as the function fails or the API answers with errors.
 */
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Construct } from 'constructs';
import { GatewayFunction } from './lambda-function.ts';
import { acknowledge } from './rules.ts';

export class Canary extends Construct {
  constructor(scope: Construct, id: string, watched: readonly Alarm[]) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    const functions = scope.node.findAll().filter((construct) => construct instanceof GatewayFunction);
    for (const each of functions) {
      const group = new LambdaDeploymentGroup(this, each.node.id, {
        application,
        alias: each.liveAlias,
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [each.errors, ...watched],
        autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
      });
      acknowledge(group, {
        'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
          'The policy that AWS made for this very role; it names what CodeDeploy calls.',
      });
    }
  }
}
