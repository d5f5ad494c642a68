/** The existing KMS key of the setting `encryptionKeyArn`, and the permissions to use it. */
import { Aws, Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { StageSettings } from '../stages/stage-settings.ts';
import { allow } from './allow.ts';
import { parsableArn } from './parsable-arn.ts';

/** Returns the key that encrypts the stage's data; undefined if AWS's keys encrypt it. */
export function encryptionKey(scope: Construct, { encryptionKeyArn }: StageSettings): IKey | undefined {
  if (encryptionKeyArn === undefined) return undefined;
  const stack = Stack.of(scope);
  const id = 'MessagingGatewayKey';
  const known = stack.node.tryFindChild(id) as IKey | undefined;
  return known ?? Key.fromKeyArn(stack, id, parsableArn(encryptionKeyArn));
}

/** Returns the property that encrypts a log group or a secret with the key. */
export function encrypted(scope: Construct, stage: StageSettings): { readonly encryptionKey?: IKey } {
  const key = encryptionKey(scope, stage);
  return key === undefined ? {} : { encryptionKey: key };
}

/** Returns the property that encrypts a topic with the key. */
export function topicEncryption(scope: Construct, stage: StageSettings): { readonly masterKey?: IKey } {
  const key = encryptionKey(scope, stage);
  return key === undefined ? {} : { masterKey: key };
}

/** Permits the use of the key only through DynamoDB, SQS and Secrets Manager. */
export function grantEncryption(to: IGrantable, { encryptionKeyArn }: StageSettings): void {
  if (encryptionKeyArn === undefined) return;
  const services = ['dynamodb', 'sqs', 'secretsmanager'];
  allow(
    to,
    [
      'kms:Decrypt',
      'kms:DescribeKey',
      'kms:Encrypt',
      'kms:GenerateDataKey',
      'kms:ReEncryptFrom',
      'kms:ReEncryptTo',
    ],
    [encryptionKeyArn],
    {
      StringEquals: {
        'kms:ViaService': services.map((service) => `${service}.${Aws.REGION}.amazonaws.com`),
      },
    },
  );
}
