/** The secret from which one-time passwords are derived. After a rotation the previous version is still accepted. */
import { CfnOutput } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { encrypted } from '../constructs/encryption.ts';
import type { GatewayFunction } from '../constructs/gateway-function.ts';
import { dataRemovalPolicy } from '../constructs/removal-policy.ts';
import { acknowledge } from '../constructs/template-rules.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

export class OtpSecret extends Construct {
  private readonly secret: Secret;

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: `Messaging gateway (${stage.name}): one-time passwords are derived from this`,
      // The password has 381 bits of entropy.
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: dataRemovalPolicy(stage),
      ...encrypted(this, stage),
    });
    acknowledge(this.secret, {
      'AwsSolutions-SMG4': 'Rotated by hand: codes of the previous version stay valid until they expire.',
    });
    new CfnOutput(this, 'Arn', { key: 'OtpSecretArn', value: this.arn });
  }

  /** The ARN is read by an attribute instead of `Ref`, which is the name on the emulator. */
  private get arn(): string {
    const resource = this.secret.node.defaultChild;
    if (!(resource instanceof CfnSecret)) throw new Error('the secret has no resource of its own');
    return resource.attrId;
  }

  /** Permits reading the secret, and sets the function's variable with its ARN. */
  grantRead(to: GatewayFunction): void {
    Grant.addToPrincipal({
      grantee: to,
      actions: ['secretsmanager:GetSecretValue'],
      resourceArns: [this.arn],
    });
    to.setVariables({ OTP_SECRET_ARN: this.arn });
  }
}
