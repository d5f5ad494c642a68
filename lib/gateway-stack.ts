/** The stack that `bin/app.ts` and `npm start` deploy, which contains only the construct. */
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
   * @param settings - the settings of the deploy, including its stage
   * @throws Error that names every invalid setting with its permitted values
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
    // The CDK omits the id `Default` from logical ids, so they are the same as without the construct.
    new MessagingGateway(this, 'Default', settings);
  }
}

/** The emulator's bootstrap role cannot access its bucket, so the caller's credentials are used. */
function withCredentialsOfCaller(): IStackSynthesizer {
  return new CliCredentialsStackSynthesizer();
}

/**
 * Checks each synthesis with cdk-nag, which fails if a finding has no acknowledgement. The package does not run this check,
 * but if an app does, the construct's findings are already acknowledged.
 */
export function applyTemplateRules(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}
