/** The secret that one-time passwords are derived under; rotated by a new version, the one before holds beside it. */
import { CfnOutput } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { GatewayFunction } from '../constructs/gateway-function.ts';
import { dataRemovalPolicy } from '../constructs/removal-policy.ts';
import { acknowledge } from '../constructs/template-rules.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

export class OtpSecret extends Construct {
  private readonly secret: Secret;

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.secret = new Secret(this, 'Secret', {
      description: `Messaging gateway (${stage.name}): one-time passwords are derived under this`,
      // 64 letters and digits are 381 bits.
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
      removalPolicy: dataRemovalPolicy(stage),
    });
    acknowledge(this.secret, {
      'AwsSolutions-SMG4':
        'Rotated by the runbook: a code of the version before holds for as long as it lives.',
    });
    // Where the one who rotates it finds it.
    new CfnOutput(this, 'Arn', { key: 'OtpSecretArn', value: this.arn });
  }

  /** By attribute: a reference is the ARN on AWS too, but the name on the emulator. */
  private get arn(): string {
    const resource = this.secret.node.defaultChild;
    if (!(resource instanceof CfnSecret)) throw new Error('the secret has no resource of its own');
    return resource.attrId;
  }

  /** Permits reading the secret, and tells the function where it is. */
  grantRead(to: GatewayFunction): void {
    Grant.addToPrincipal({
      grantee: to,
      actions: ['secretsmanager:GetSecretValue'],
      resourceArns: [this.arn],
    });
    to.setVariables({ OTP_SECRET_ARN: this.arn });
  }
}
