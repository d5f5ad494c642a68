/** A gateway in a stack of a platform team's own, with an alarm topic and a role for those who administer it. */
import { App, CfnOutput, Stack, Tags } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { MessagingGateway } from 'messaging-gateway';

const stack = new Stack(new App(), 'PlatformMessaging');
const gateway = new MessagingGateway(stack, 'Gateway', {
  stage: 'dev',
  retentionDays: 14,
});
Tags.of(stack).add('owner', 'platform');

gateway.addAlarmAction(new SnsAction(new Topic(stack, 'Alarms', { enforceSSL: true })));
const administrators = new Role(stack, 'Administrators', { assumedBy: new AccountRootPrincipal() });
gateway.grantAdmin(administrators);
new CfnOutput(stack, 'AdministratorsArn', { value: administrators.roleArn });
