/** The CDK app: synthesizes the stack of a stage (`-c stage=production`, with the settings of `settings.production.json`). */
import { Annotations, App } from 'aws-cdk-lib';
import { applyTemplateRules, GatewayStack } from '../lib/gateway-stack.ts';
import { compareSettings } from '../lib/stages/compare-settings.ts';
import { withSettingsFile } from '../lib/stages/settings-file.ts';
import { InvalidSettings } from '../lib/stages/stage-settings.ts';
import { deployedStacks } from './deployed-stacks.ts';

/**
 * Compares the settings with the settings of the deployed stack. The CDK's command line shows these warnings before it deploys.
 */
async function compareWithDeployed(stack: GatewayStack): Promise<void> {
  const { stage } = stack;
  // The command line sets both if it has credentials.
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  if (account === undefined) return;
  try {
    const [deployed] = await deployedStacks(stage.stackName, stage.region ?? region);
    compareSettings(stack, stage, deployed?.outputs ?? {});
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // Before the first deploy there is no stack to compare with.
    if (!/does not exist/.test(reason))
      Annotations.of(stack).addInfo(`The settings were not compared with the last deploy's: ${reason}`);
  }
}

const app = new App();
try {
  await compareWithDeployed(new GatewayStack(app, withSettingsFile(app.node.getAllContext())));
  applyTemplateRules(app);
  app.synth();
} catch (error) {
  if (!(error instanceof InvalidSettings)) throw error;
  // An operator corrects invalid settings, so the stack trace is no help.
  console.error(error.message);
  process.exitCode = 1;
}
