/** The key that signs tokens: it never leaves KMS, and one function alone may use it. */
import { RemovalPolicy } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { GatewayFunction } from './lambda-function.ts';
import type { StageSettings } from './stages.ts';

export class TokenKey extends Construct {
  private readonly key: Key;

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.key = new Key(this, 'Key', {
      description: `Messaging gateway (${stage.name}): signs access tokens`,
      keySpec: KeySpec.ECC_NIST_P256,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy: stage.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
  }

  /** Permits signing, and reading the public half in order to publish it. */
  grantSign(to: GatewayFunction): void {
    Grant.addToPrincipal({
      grantee: to,
      actions: ['kms:Sign', 'kms:GetPublicKey'],
      resourceArns: [this.key.keyArn],
    });
    to.setVariables({ TOKEN_SIGNING_KEY_ID: this.key.keyId });
  }
}
