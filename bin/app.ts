/** The CDK app: synthesizes the stack of a stage (`-c stage=production`, with the settings of `settings.production.json`). */
import { Annotations, App } from 'aws-cdk-lib';
import { applyTemplateRules, GatewayStack } from '../lib/gateway-stack.ts';
import { compareSettings } from '../lib/stages/compare-settings.ts';
import { withSettingsFile } from '../lib/stages/settings-file.ts';
import { InvalidSettings } from '../lib/stages/stage-settings.ts';
import { deployedStacks } from './stack-outputs.ts';

/**
 * Compares with the deployed stack. The CDK's command line shows the warnings of a synthesis before it deploys.
 */
async function compareWithDeployed(stack: GatewayStack): Promise<void> {
  const { stage } = stack;
  // The command line sets both where it has credentials.
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  if (account === undefined) return;
  try {
    const [deployed] = await deployedStacks(stage.stackName, stage.region ?? region);
    compareSettings(stack, stage, deployed?.outputs ?? {});
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // Before its first deploy there is nothing to compare with.
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
  // A person corrects these; where in the code they were read is no help.
  console.error(error.message);
  process.exitCode = 1;
}
