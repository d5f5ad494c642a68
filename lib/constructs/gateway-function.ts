/**
 * A Lambda function with its own role, which may only write to the function's log. `grant-uses.ts` adds the declared
 * permissions.
 */
import { Duration } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { carriersIn } from '../../shared/contract/channels.ts';
import { type FunctionName, functionUses } from '../../shared/contract/function-uses.ts';
import { sendFunctions } from '../../shared/contract/routes.ts';
import type { Uses } from '../../shared/contract/uses.ts';
import type { VariableName } from '../../shared/contract/variables.ts';
import type { EnvironmentName } from '../../shared/platform/env.ts';
import { readVariable } from '../../shared/platform/env.ts';
import { bundleFunctions } from '../build/bundle.ts';
import { isPlaceholder } from '../stages/aws-names.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import { stageVariables } from '../stages/stage-variables.ts';
import { encrypted, grantEncryption } from './encryption.ts';
import { InlineRole } from './inline-role.ts';
import { dataRemovalPolicy } from './removal-policy.ts';
import { acknowledge } from './template-rules.ts';

const tracesAnywhere = 'X-Ray has no resource to write a trace to.';

/**
 * Returns the carriers in the bundles of a stage. The simulated carrier is always included, because it sends test messages.
 */
function carriersOf({ smsCarrier, whatsappCarrier }: StageSettings): string[] {
  return [...new Set([...carriersIn(smsCarrier), ...carriersIn(whatsappCarrier), 'simulator'])];
}

/**
 * The functions that accept, send and report messages, which are released as canaries (`canary.ts`). All other functions
 * switch immediately, because CodeDeploy and Lambda throttle many simultaneous deployments.
 */
export const canaried: readonly FunctionName[] = [
  'issue-token',
  ...sendFunctions,
  'verify-otp',
  'relay-changes',
  'dispatch-message',
  'record-receipt',
  'deliver-webhook',
];

/** The value of `PRICES_FILE`. The prices are in a file, because they exceed the 4 KB limit of environment variables. */
export const pricesFile = 'prices.json';

export class GatewayFunction extends LambdaFunction {
  readonly functionFile: FunctionName;
  readonly timeoutSeconds: number;
  readonly executionRole: Role;
  private readonly stage: StageSettings;
  private alias: Alias | undefined;

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly stage: StageSettings;
      /** The file in `functions/`, without its extension. */
      readonly functionName: FunctionName;
      readonly timeoutSeconds: number;
      /** The memory of the function. More memory also means more CPU: below 512 MB, a start takes more than a second. */
      readonly memoryMegabytes?: number;
      /** False to exclude the function from the stage's X-Ray traces; by default true. */
      readonly isTraced?: boolean;
      /** True if the function may send to the queue that invokes it. Otherwise Lambda stops such a loop. */
      readonly recursiveLoop?: boolean;
    },
  ) {
    const { stage } = props;
    const isTraced = stage.tracing && props.isTraced !== false;
    const role = new InlineRole(scope, `${id}Role`, { service: 'lambda.amazonaws.com' });
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: stage.logRetentionDays,
      ...encrypted(scope, stage),
      removalPolicy: dataRemovalPolicy(stage),
    });
    grantEncryption(role, stage);
    logGroup.grant(role, 'logs:CreateLogStream', 'logs:PutLogEvents');
    const declared: readonly Uses[] = functionUses[props.functionName];
    const hasPrices = declared.some(({ settings }) => settings?.includes('PRICES_FILE') === true);
    const files = hasPrices ? { [pricesFile]: JSON.stringify(stage.prices) } : undefined;
    const reserved = stage.functionConcurrency[props.functionName]?.reserved;
    super(scope, id, {
      description: `Messaging gateway (${stage.name}): ${props.functionName}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(bundleFunctions().folder(props.functionName, files, carriersOf(stage))),
      handler: 'index.handler',
      timeout: Duration.seconds(props.timeoutSeconds),
      memorySize: props.memoryMegabytes ?? 512,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Excludes Lambda's own start and end lines, which cost money and add nothing.
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: isTraced ? Tracing.ACTIVE : Tracing.DISABLED,
      ...(props.recursiveLoop === true ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
    });
    this.stage = stage;
    this.executionRole = role;
    this.functionFile = props.functionName;
    this.timeoutSeconds = props.timeoutSeconds;
    // Distinguishes the logs and metrics of several stages in one account.
    this.addEnvironment('SERVICE_NAME', stage.stackName);
    acknowledge(this, {
      'Serverless-LambdaDLQ':
        'Called by API Gateway, which waits, by a queue or stream with a dead-letter queue of its own, or every minute.',
      ...(isTraced
        ? {}
        : { 'Serverless-LambdaTracing': 'The stage has no traces, or the function runs by the clock.' }),
    });
    if (stage.encryptionKeyArn !== undefined) {
      const ofDestination = 'The CDK permits this of the one key, for the queue of records that failed.';
      acknowledge(role, {
        'AwsSolutions-IAM5[Action::kms:ReEncrypt*]': ofDestination,
        'AwsSolutions-IAM5[Action::kms:GenerateDataKey*]': ofDestination,
      });
    }
    if (isTraced) {
      acknowledge(role, {
        'AwsSolutions-IAM5[Resource::*]': tracesAnywhere,
        'Serverless-LambdaStarPermissions': tracesAnywhere,
      });
    }
  }

  /** True if the function has an alias, which canaries and provisioned concurrency need. */
  private get hasAlias(): boolean {
    const hasCanary = this.stage.canary && canaried.includes(this.functionFile);
    return hasCanary || this.provisionedConcurrency !== undefined;
  }

  get provisionedConcurrency(): number | undefined {
    return this.stage.functionConcurrency[this.functionFile]?.provisioned;
  }

  /** The resource that callers invoke: the alias, or else the function. */
  get live(): IFunction {
    if (!this.hasAlias) return this;
    return this.liveAlias;
  }

  /** The qualifier of `live`; undefined if `live` is the function itself. */
  get qualifier(): string | undefined {
    return this.hasAlias ? this.liveAlias.aliasName : undefined;
  }

  get liveAlias(): Alias {
    const provisioned = this.provisionedConcurrency;
    this.alias ??= new Alias(this, 'Live', {
      aliasName: 'live',
      version: this.currentVersion,
      ...(provisioned === undefined ? {} : { provisionedConcurrentExecutions: provisioned }),
    });
    return this.alias;
  }

  /** Sets environment variables (`shared/platform/env.ts`). */
  setVariables(variables: Partial<Record<EnvironmentName, string>>): void {
    for (const [name, value] of Object.entries(variables)) this.addEnvironment(name, value);
  }

  /** Sets variables from the stage's settings. @throws Error if a required variable has no value */
  setSettings(names: readonly VariableName[]): void {
    const values = stageVariables(this.stage);
    for (const name of names) {
      const value = values[name];
      // The function checks the variable again when it starts.
      if (value === undefined || !isPlaceholder(value)) readVariable(name, values);
      if (value !== undefined) this.setVariables({ [name]: value });
    }
  }
}
