/** The secrets that functions read: credentials of carriers, and the secret of one-time passwords. */
import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { type CfnSecret, Secret, type SecretProps } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { carrierDescriptors } from '../../shared/carrier/carrier-descriptors.ts';
import { carriersIn } from '../../shared/contract/channels.ts';
import { allow } from '../constructs/allow.ts';
import { encrypted } from '../constructs/encryption.ts';
import type { GatewayFunction } from '../constructs/gateway-function.ts';
import { dataRemovalPolicy } from '../constructs/removal-policy.ts';
import { pascalCase } from '../constructs/stack-outputs.ts';
import { acknowledge } from '../constructs/template-rules.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

/**
 * @param rotation - how the secret is rotated, because AWS does not rotate it
 * @returns the ARN as an attribute, because on the emulator `Ref` is the name
 */
function createSecret(
  scope: Construct,
  id: string,
  stage: StageSettings,
  { rotation, output, ...props }: SecretProps & { readonly rotation: string; readonly output: string },
): string {
  const secret = new Secret(scope, id, {
    ...props,
    description: `Messaging gateway (${stage.name}): ${props.description}`,
    removalPolicy: dataRemovalPolicy(stage),
    ...encrypted(scope, stage),
  });
  acknowledge(secret, { 'AwsSolutions-SMG4': rotation });
  const arn = (secret.node.defaultChild as CfnSecret).attrId;
  new CfnOutput(scope, output, { key: output, value: arn });
  return arn;
}

const read = ['secretsmanager:GetSecretValue'];

/**
 * A secret for each of the stage's carriers that has credentials. Operators store the credentials themselves, so no deploy
 * contains them.
 */
export class CarrierSecrets extends Construct {
  private readonly arns = new Map<string, string>();

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    const used = [...carriersIn(stage.smsCarrier), ...carriersIn(stage.whatsappCarrier)];
    for (const { name, hasCredentials } of carrierDescriptors) {
      if (!hasCredentials || !used.includes(name)) continue;
      const arn = createSecret(this, pascalCase(name), stage, {
        description: `credentials of the carrier ${name}, as docs/carriers.md says`,
        rotation: 'The carrier issues the credentials; a person changes them.',
        output: `${pascalCase(name)}SecretArn`,
      });
      this.arns.set(name, arn);
    }
  }

  permitRead(to: IGrantable): void {
    if (this.arns.size > 0) allow(to, read, [...this.arns.values()]);
  }

  /** Lets the function read the secrets, and sets the variable with their ARNs. */
  grantRead(to: GatewayFunction): void {
    this.permitRead(to);
    to.setVariables({ CARRIER_SECRETS: Stack.of(this).toJsonString(Object.fromEntries(this.arns)) });
  }
}

/**
 * The secret from which one-time passwords are derived. After a rotation, codes of the previous version are still accepted.
 */
export class OtpSecret extends Construct {
  private readonly arn: string;

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.arn = createSecret(this, 'Secret', stage, {
      description: 'one-time passwords are derived from this',
      // The password has 381 bits of entropy.
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      rotation: 'Rotated by hand: codes of the previous version stay valid until they expire.',
      output: 'OtpSecretArn',
    });
  }

  /** Lets the function read the secret, and sets the variable with its ARN. */
  grantRead(to: GatewayFunction): void {
    allow(to, read, [this.arn]);
    to.setVariables({ OTP_SECRET_ARN: this.arn });
  }
}
