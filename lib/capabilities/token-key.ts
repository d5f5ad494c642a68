/** The KMS keys that sign access tokens. Only the token function may use them to sign. */
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { allow } from '../constructs/allow.ts';
import type { GatewayFunction } from '../constructs/gateway-function.ts';
import { dataRemovalPolicy } from '../constructs/removal-policy.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

export class TokenKey extends Construct {
  /** The keys in the order of their generations; the last one signs. */
  private readonly keys: readonly Key[];

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.keys = stage.tokenKeyGenerations.map(
      (generation) =>
        new Key(this, generation === 1 ? 'Key' : `Key${generation}`, {
          description: `Messaging gateway (${stage.name}): signs access tokens, generation ${generation}`,
          keySpec: KeySpec.ECC_NIST_P256,
          keyUsage: KeyUsage.SIGN_VERIFY,
          removalPolicy: dataRemovalPolicy(stage),
        }),
    );
  }

  /** Permits signing, or only reading the public key in order to publish it. Sets the variable with the signing key. */
  grant(to: GatewayFunction, ...actions: ('kms:Sign' | 'kms:GetPublicKey')[]): void {
    allow(
      to,
      actions,
      // Includes all generations, because during a deploy the old code still signs with the old key.
      this.keys.map((key) => key.keyArn),
    );
    const signing = this.keys.at(-1);
    if (signing === undefined) throw new Error('a stage has a key that signs');
    to.setVariables({ TOKEN_SIGNING_KEY_ID: signing.keyId });
  }
}
