/**
 * In the account of a team that sends: its function gets the events of the gateway, by an event bus. The gateway is in another
 * account, and uses a role of this one. Deploy with `-c gatewayAccount=ACCOUNT -c clientId=CLIENT_ID`, then create the
 * webhook endpoint with the two outputs (docs/aws-destinations.md).
 */
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaCode, Runtime } from 'aws-cdk-lib/aws-lambda';

const stack = new Stack(new App(), 'ShopMessagingEvents');
const bus = new EventBus(stack, 'Webhooks');
const role = new Role(stack, 'Gateway', {
  // Without the external id, every client of the gateway could send to this bus.
  assumedBy: new AccountPrincipal(stack.node.getContext('gatewayAccount')),
  externalIds: [stack.node.getContext('clientId')],
});
bus.grantPutEventsTo(role);

const onFailure = new LambdaCode(stack, 'OnFailure', {
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: Code.fromAsset('function'),
});
new Rule(stack, 'Failures', {
  eventBus: bus,
  eventPattern: { source: ['messaging-gateway'], detail: { data: { status: ['failed'] } } },
  targets: [new LambdaFunction(onFailure)],
});

new CfnOutput(stack, 'BusArn', { value: bus.eventBusArn });
new CfnOutput(stack, 'RoleArn', { value: role.roleArn });
