/** The CDK app: the stage's name in (`-c stage=production`), its stack out. */
import { App } from 'aws-cdk-lib';
import { GatewayStack } from '../lib/gateway-stack.ts';
import { stageNamed } from '../lib/stages.ts';

const app = new App();
new GatewayStack(app, stageNamed(String(app.node.tryGetContext('stage') ?? 'dev')));
app.synth();
