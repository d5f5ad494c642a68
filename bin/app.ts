/** The CDK app: synthesizes the stack of a stage (`-c stage=production`, with the settings of `settings.production.json`). */
import { Annotations, App } from 'aws-cdk-lib';
import { changedSettingsIn, stageOutput } from '../lib/constructs/stack-outputs.ts';
import { applyTemplateRules, GatewayStack } from '../lib/gateway-stack.ts';
import { settingsFileOf, withSettingsFile } from '../lib/stages/settings-file.ts';
import { droppedSettings, replacesTables } from '../lib/stages/stages.ts';
import { deployedStacks } from '../shared/admin/stack-outputs.cloudformation.ts';

/**
 * Compares with the deployed stack. The CDK's command line shows the warnings of a synthesis before it deploys, and does
 * not deploy after an error.
 */
async function compareWithDeployed(stack: GatewayStack): Promise<void> {
  const { stage } = stack;
  // The command line sets both where it has credentials.
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  if (account === undefined) return;
  try {
    const [deployed] = await deployedStacks(stage.stackName, stage.region ?? region);
    const recorded = changedSettingsIn(deployed?.outputs ?? {});
    if (deployed?.outputs[stageOutput] !== undefined && replacesTables(recorded, stage))
      Annotations.of(stack).addError(
        `${stage.stackName} is deployed ${stage.globalTables === undefined ? 'with' : 'without'} globalTables, and CloudFormation would delete its tables to change that (docs/regions.md).`,
      );
    for (const setting of droppedSettings(recorded, stage))
      Annotations.of(stack).addWarningV2(
        `dropped-setting:${setting}`,
        `The last deploy of ${stage.stackName} had a value for ${setting}, and this one has none, so it gets the stage's own. Write it into ${settingsFileOf(stage.name)} to keep it.`,
      );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // Before its first deploy there is nothing to compare with.
    if (!/does not exist/.test(reason))
      Annotations.of(stack).addInfo(`The settings were not compared with the last deploy's: ${reason}`);
  }
}

const app = new App();
await compareWithDeployed(new GatewayStack(app, withSettingsFile(app.node.getAllContext())));
applyTemplateRules(app);
app.synth();
