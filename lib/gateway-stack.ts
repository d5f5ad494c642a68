/**
 * The map of the system: what there is, and what knows of what.
 *
 * A request enters by the API and is stored; the row's own stream drives everything after it.
 */
import { CfnOutput, CliCredentialsStackSynthesizer, type IStackSynthesizer, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Admin } from './capabilities/admin.ts';
import { Api } from './capabilities/api/api.ts';
import { Canary } from './capabilities/api/canary.ts';
import { Messaging } from './capabilities/messaging.ts';
import { Monitoring } from './capabilities/monitoring.ts';
import { OtpSecret } from './capabilities/otp-secret.ts';
import { Schedules } from './capabilities/schedules.ts';
import { Storage } from './capabilities/storage/storage.ts';
import { TokenKey } from './capabilities/token-key.ts';
import { Webhooks } from './capabilities/webhooks.ts';
import { publishedSettings } from './constructs/stack-outputs.ts';
import type { StageSettings } from './stages/stage-settings.ts';

/** Of the 500 that CloudFormation takes in a stack: with every setting on, and the rest for what is to come. */
export const resourceMaximum = 400;

export class GatewayStack extends Stack {
  constructor(scope: Construct, stage: StageSettings) {
    super(scope, stage.stackName, {
      description: `Messaging gateway, stage ${stage.name}`,
      ...(stage.region === undefined ? {} : { env: { region: stage.region } }),
      terminationProtection: stage.terminationProtection,
      ...(stage.deployWithCallerCredentials
        ? { synthesizer: new CliCredentialsStackSynthesizer() as IStackSynthesizer }
        : {}),
    });
    const storage = new Storage(this, 'Storage', stage);
    const schedules = new Schedules(this, 'Schedules', stage);
    const tokenKey = new TokenKey(this, 'TokenKey', stage);
    const otpSecret = new OtpSecret(this, 'OtpSecret', stage);

    const api = new Api(this, 'Api', { stage, storage, tokenKey, otpSecret });
    const messaging = new Messaging(this, 'Messaging', { stage, storage, schedules, otpSecret });
    const webhooks = new Webhooks(this, 'Webhooks', { stage, storage, schedules });
    webhooks.grantEnqueue(messaging.relay);
    messaging.grantSetAside(webhooks.sweep);
    new Admin(this, 'Admin', { stage, storage, api, webhooks });

    new Monitoring(this, 'Observability', stage);
    if (stage.canary) new Canary(this, 'Canary', stage, api.alarms);

    this.publish(storage.names());
    this.publish(messaging.queueUrls());
    this.publish(webhooks.queueUrls());
    this.publish(publishedSettings(stage));
  }

  /** Outputs: what the command line and the tests need in order to find their way. */
  private publish(values: Readonly<Record<string, string>>): void {
    for (const [key, value] of Object.entries(values)) new CfnOutput(this, key, { value });
  }
}
