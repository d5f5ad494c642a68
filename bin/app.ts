/** The CDK app: the stage's name and settings in (`-c stage=production -c alarmEmail=…`), its stack out. */
import { App } from 'aws-cdk-lib';
import { GatewayStack } from '../lib/gateway-stack.ts';
import { keepRules } from '../lib/rules.ts';
import { stageFrom } from '../lib/stages.ts';

const app = new App();
new GatewayStack(app, stageFrom(app.node.getAllContext()));
keepRules(app);
app.synth();
