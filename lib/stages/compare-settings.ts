/** What a deploy says before it begins, where its settings are fewer than those of the deploy before, or cannot follow them. */
import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { changedSettingsIn, stageOutput } from '../constructs/stack-outputs.ts';
import { settingsFileOf } from './settings-file.ts';
import type { StageSettings } from './stage-settings.ts';
import { droppedSettings, replacesTables } from './stages.ts';

/** @param outputs - those of the deployed stack, which recorded the settings that it changed */
export function compareSettings(
  scope: Construct,
  stage: StageSettings,
  outputs: Readonly<Record<string, string>>,
): void {
  const recorded = changedSettingsIn(outputs);
  if (outputs[stageOutput] !== undefined && replacesTables(recorded, stage))
    Annotations.of(scope).addError(
      `${stage.stackName} is deployed ${stage.globalTables === undefined ? 'with' : 'without'} globalTables, and CloudFormation would delete its tables to change that (docs/deploy.md).`,
    );
  for (const setting of droppedSettings(recorded, stage))
    Annotations.of(scope).addWarningV2(
      `dropped-setting:${setting}`,
      `The last deploy of ${stage.stackName} had a value for ${setting}, and this one has none, so it gets the stage's own. Write it into ${settingsFileOf(stage.name)} to keep it.`,
    );
}
