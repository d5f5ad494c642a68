/** The environment variables that come from the stage. A variable with a setting's name contains its value. */

import { carriersIn } from '../../shared/contract/channels.ts';
import { type VariableName, variables } from '../../shared/contract/variables.ts';
import { toText } from '../../shared/platform/env.ts';
import type { StageSettings } from './stage-settings.ts';

export function stageVariables(stage: StageSettings): Partial<Record<VariableName, string>> {
  const settings = Object.entries({ ...stage, ...stage.local }).map(
    ([setting, value]) => [variableOf(setting), value] as const,
  );
  const values: Partial<Record<VariableName, unknown>> = {
    ...Object.fromEntries(settings.filter(([name]) => Object.hasOwn(variables, name))),
    STAGE_CAPS: stage.caps,
    CURRENCY: stage.prices.currency,
    // This setting is a sender at AWS. If another carrier is first, its secret contains the default sender.
    STAGE_SMS_SENDER: carriersIn(stage.smsCarrier)[0] === 'aws' ? stage.smsOriginationIdentity : undefined,
    // Each gateway in an account has its own configuration set.
    SMS_CONFIGURATION_SET: stage.stackName,
    TOKEN_AUDIENCE: `${stage.stackName}/api`,
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, toText(value)]));
}

/** Returns a setting's variable, such as `OPT_OUT_WORDS` for `optOutWords`. */
function variableOf(setting: string): string {
  return setting.replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}
