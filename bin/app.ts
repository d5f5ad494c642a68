/** The CDK app: synthesizes the stack of a stage (`-c stage=production`, with the settings of `settings.production.json`). */
import { App } from 'aws-cdk-lib';
import { applyTemplateRules, GatewayStack } from '../lib/gateway-stack.ts';
import { withSettingsFile } from '../lib/stages/settings-file.ts';
import { InvalidSettings } from '../lib/stages/stage-settings.ts';

const app = new App();
try {
  new GatewayStack(app, withSettingsFile(app.node.getAllContext()));
  applyTemplateRules(app);
  app.synth();
} catch (error) {
  if (!(error instanceof InvalidSettings)) throw error;
  // Prints only the message, because a stack trace does not help to correct invalid settings.
  console.error(error.message);
  process.exitCode = 1;
}
