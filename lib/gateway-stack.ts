/** The stack that `bin/app.ts` and `npm start` deploy. It contains only the construct. */
import {
  type App,
  CliCredentialsStackSynthesizer,
  type IStackSynthesizer,
  Stack,
  Validations,
} from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { Construct } from 'constructs';
import { MessagingGateway } from './messaging-gateway.ts';
import type { StageSettings } from './stages/stage-settings.ts';
import { stageFrom } from './stages/stages.ts';

export class GatewayStack extends Stack {
  readonly stage: StageSettings;

  /**
   * @param settings - the settings of the deploy, with its stage
   * @throws Error that names every invalid setting and the permitted values
   */
  constructor(scope: Construct, settings: Readonly<Record<string, unknown>>) {
    const stage = stageFrom(settings);
    super(scope, stage.stackName, {
      description: `Messaging gateway, stage ${stage.name}`,
      ...(stage.region === undefined ? {} : { env: { region: stage.region } }),
      terminationProtection: stage.keepData,
      ...(stage.emulator ? { synthesizer: withCredentialsOfCaller() } : {}),
    });
    this.stage = stage;
    // The CDK omits the id `Default` from logical ids, so that they stay the same as in releases without the construct.
    new MessagingGateway(this, 'Default', settings);
  }
}

/** The emulator's bootstrap role cannot access its bucket, so the deploy uses the caller's credentials. */
function withCredentialsOfCaller(): IStackSynthesizer {
  return new CliCredentialsStackSynthesizer();
}

/**
 * Checks each synthesis of the app with cdk-nag. A synthesis fails if a finding has no acknowledgement. The package does not
 * run this check. If an app runs the check, the findings of the construct are already acknowledged.
 */
export function applyTemplateRules(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}
