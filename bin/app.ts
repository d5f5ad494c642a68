/** The CDK app: synthesizes the stack of a stage (`-c stage=production -c alarmEmail=…`). */
import { App } from 'aws-cdk-lib';
import { applyTemplateRules } from '../lib/constructs/template-rules.ts';
import { GatewayStack } from '../lib/gateway-stack.ts';
import { stageFrom } from '../lib/stages/stages.ts';

const app = new App();
new GatewayStack(app, stageFrom(app.node.getAllContext()));
applyTemplateRules(app);
app.synth();
