/** Warns before a deploy that omits a setting of the last deploy. */
import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { changedSettingsIn } from '../constructs/stack-outputs.ts';
import { settingsFileOf } from './settings-file.ts';
import type { StageSettings } from './stage-settings.ts';
import { droppedSettings } from './stages.ts';

/** @param outputs - the outputs of the deployed stack, which contain the settings that it changed */
export function compareSettings(
  scope: Construct,
  stage: StageSettings,
  outputs: Readonly<Record<string, string>>,
): void {
  const recorded = changedSettingsIn(outputs);
  for (const setting of droppedSettings(recorded, stage))
    Annotations.of(scope).addWarningV2(
      `dropped-setting:${setting}`,
      `The last deploy of ${stage.stackName} had a value for ${setting}, and this one has none, so it gets the stage's own. Write it into ${settingsFileOf(stage.name)} to keep it.`,
    );
}
