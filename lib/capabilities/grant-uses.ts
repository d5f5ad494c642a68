/**
 * Grants every function the permissions that `shared/contract/function-uses.ts` declares, and sets the matching variables.
 * The declarations do not contain streams, clients' roles and calls of carriers, whose permissions are granted where they
 * are created.
 */
import { Aws, type Stack } from 'aws-cdk-lib';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { carriersIn } from '../../shared/contract/channels.ts';
import { administration, functionUses } from '../../shared/contract/function-uses.ts';
import type { QueueName } from '../../shared/contract/queues.ts';
import { type Uses, variableOf } from '../../shared/contract/uses.ts';
import type { VariableName } from '../../shared/contract/variables.ts';
import { allow } from '../constructs/allow.ts';
import { grantEncryption } from '../constructs/encryption.ts';
import { GatewayFunction, pricesFile } from '../constructs/gateway-function.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import type { Schedules } from './schedules.ts';
import type { CarrierSecrets, OtpSecret } from './secrets.ts';
import type { Storage } from './storage/storage.ts';
import type { TokenKey } from './token-key.ts';

/** The queues to which functions may send. */
export type Queues = Readonly<
  Record<
    QueueName,
    {
      readonly queue: Queue;
      readonly deadLetters?: Queue;
      grantSend(to: IGrantable): void;
    }
  >
>;

/** The properties that most capabilities have. */
export interface CapabilityProps {
  readonly stage: StageSettings;
  readonly storage: Storage;
  readonly schedules: Schedules;
}

export interface Resources extends CapabilityProps {
  readonly queues: Queues;
  readonly otpSecret: OtpSecret;
  readonly carrierSecrets: CarrierSecrets;
  readonly tokenKey: TokenKey;
  /** The URL of the gateway. */
  readonly baseUrl: string;
}

export function grantUses(stack: Construct, resources: Resources): void {
  for (const construct of stack.node.findAll()) {
    if (!(construct instanceof GatewayFunction)) continue;
    const declared: readonly Uses[] = functionUses[construct.functionFile];
    for (const part of declared.filter(({ where }) => holdsIn(resources.stage, where)))
      grantPart(construct, part, resources);
  }
}

/** Grants the permissions of the administrators' command line, which finds the gateway by the stack's outputs. */
export function grantAdministration(
  to: IGrantable,
  stack: Stack,
  { stage, storage, queues, carrierSecrets }: Resources,
): void {
  const declared: readonly Uses[] = administration;
  for (const { where, tables = {}, sendsTo = [], secrets = [] } of declared) {
    if (!holdsIn(stage, where)) continue;
    for (const [table, actions] of Object.entries(tables) as [keyof typeof tables, readonly string[]][])
      storage.permit(to, table, actions);
    for (const name of sendsTo) queues[name].grantSend(to);
    if (secrets.includes('carriers')) carrierSecrets.permitRead(to);
  }
  grantEncryption(to, stage);
  allow(to, ['cloudformation:DescribeStacks'], [stack.stackId]);
}

function holdsIn(stage: StageSettings, where: Uses['where']): boolean {
  if (where === undefined) return true;
  return carriersIn(where === 'AWS carries SMS' ? stage.smsCarrier : stage.whatsappCarrier).includes('aws');
}

function grantPart(to: GatewayFunction, part: Uses, resources: Resources): void {
  const { storage, schedules, queues, otpSecret, carrierSecrets, tokenKey, baseUrl } = resources;
  const { tables = {}, sendsTo = [], receivesFrom = [], schedulesTo = [] } = part;
  const { counts = [], secrets = [], settings = [] } = part;
  for (const [table, actions] of Object.entries(tables) as [keyof typeof tables, readonly string[]][])
    storage.grant(to, table, actions);
  for (const name of sendsTo) queues[name].grantSend(to);
  for (const name of new Set([...sendsTo, ...receivesFrom]))
    to.setVariables({ [variableOf(name, 'QUEUE_URL')]: queues[name].queue.queueUrl });
  for (const name of counts) allow(to, ['sqs:GetQueueAttributes'], [queues[name].queue.queueArn]);
  for (const name of schedulesTo) {
    schedules.grantCreate(to, queues[name].queue);
    to.setVariables({
      ...schedules.variables(),
      [variableOf(name, 'QUEUE_ARN')]: queues[name].queue.queueArn,
    });
  }
  if (secrets.includes('otp-secret')) otpSecret.grantRead(to);
  if (secrets.includes('carriers')) carrierSecrets.grantRead(to);
  if (secrets.includes('token-key')) tokenKey.grant(to, 'kms:Sign', 'kms:GetPublicKey');
  if (secrets.includes('token-public-key')) tokenKey.grant(to, 'kms:GetPublicKey');
  const ofStack: Partial<Record<VariableName, string>> = {
    TOKEN_ISSUER: baseUrl,
    GATEWAY_ACCOUNT: Aws.ACCOUNT_ID,
    GATEWAY_PARTITION: Aws.PARTITION,
    PRICES_FILE: pricesFile,
  };
  for (const name of settings) {
    const value = ofStack[name];
    if (value === undefined) to.setSettings([name]);
    else to.setVariables({ [name]: value });
  }
}
