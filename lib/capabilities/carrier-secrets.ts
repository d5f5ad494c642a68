/** A secret for each carrier of the stage that has credentials. A person puts them in; a deploy never knows them. */
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { type CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { carrierDescriptors } from '../../shared/carrier/carrier-descriptors.ts';
import { carriersIn } from '../../shared/contract/channels.ts';
import { encrypted } from '../constructs/encryption.ts';
import type { GatewayFunction } from '../constructs/gateway-function.ts';
import { dataRemovalPolicy } from '../constructs/removal-policy.ts';
import { pascalCase } from '../constructs/stack-outputs.ts';
import { acknowledge } from '../constructs/template-rules.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

export class CarrierSecrets extends Construct {
  private readonly arns = new Map<string, string>();

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    const used = [...carriersIn(stage.smsCarrier), ...carriersIn(stage.whatsappCarrier)];
    for (const { name, hasCredentials } of carrierDescriptors) {
      if (!hasCredentials || !used.includes(name)) continue;
      const title = pascalCase(name);
      const secret = new Secret(this, title, {
        description: `Messaging gateway (${stage.name}): credentials of the carrier ${name}, as docs/carriers.md says`,
        removalPolicy: dataRemovalPolicy(stage),
        ...encrypted(this, stage),
      });
      acknowledge(secret, {
        'AwsSolutions-SMG4': 'The carrier issues the credentials; a person changes them.',
      });
      // On the emulator `Ref` is the name.
      const arn = (secret.node.defaultChild as CfnSecret).attrId;
      this.arns.set(name, arn);
      new CfnOutput(this, `${title}Arn`, { key: `${title}SecretArn`, value: arn });
    }
  }

  permitRead(to: IGrantable): void {
    if (this.arns.size > 0)
      Grant.addToPrincipal({
        grantee: to,
        actions: ['secretsmanager:GetSecretValue'],
        resourceArns: [...this.arns.values()],
      });
  }

  /** Permits reading the secrets, and sets the variable with their ARNs. */
  grantRead(to: GatewayFunction): void {
    this.permitRead(to);
    to.setVariables({ CARRIER_SECRETS: Stack.of(this).toJsonString(Object.fromEntries(this.arns)) });
  }
}
