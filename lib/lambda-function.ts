/**
 * A Lambda function with a role of its own that may write its own log and nothing else: every further right
 * comes from a grant, which sets the variable that goes with it too.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { EnvironmentName } from '../shared/env.ts';
import { watch } from './alarm.ts';
import { bundleFunctions } from './bundle.ts';
import { acknowledge } from './rules.ts';
import type { StageSettings } from './stage-settings.ts';
import { stageVariables } from './stage-variables.ts';

interface GatewayFunctionProps {
  readonly stage: StageSettings;
  /** The file in `functions/`, without its ending. */
  readonly functionName: string;
  readonly timeoutSeconds: number;
  /** CPU comes with memory: below 512 MB a start takes over a second. */
  readonly memoryMegabytes?: number;
  /** Variables that the stage settles, which this function reads. */
  readonly settings?: readonly EnvironmentName[];
  /** Whether it may call itself by a queue; Lambda stops such a loop otherwise. */
  readonly recursiveLoop?: boolean;
}

export class GatewayFunction extends LambdaFunction {
  readonly functionFile: string;
  readonly timeoutSeconds: number;
  readonly executionRole: Role;
  readonly errors: Alarm;
  private readonly stage: StageSettings;
  private alias: Alias | undefined;

  constructor(scope: Construct, id: string, props: GatewayFunctionProps) {
    const { stage } = props;
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: stage.logRetentionDays,
      removalPolicy: stage.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    logGroup.grant(role, 'logs:CreateLogStream', 'logs:PutLogEvents');
    const reserved = stage.reservedConcurrency[props.functionName];
    super(scope, id, {
      description: `Messaging gateway (${stage.name}): ${props.functionName}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(bundleFunctions().folder(props.functionName)),
      handler: 'index.handler',
      timeout: Duration.seconds(props.timeoutSeconds),
      memorySize: props.memoryMegabytes ?? 512,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Lambda's own lines of each start and end say less than ours, and cost as much.
      systemLogLevelV2: SystemLogLevel.WARN,
      tracing: stage.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      ...(props.recursiveLoop === true ? { recursiveLoop: RecursiveLoop.ALLOW } : {}),
      ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
    });
    this.stage = stage;
    this.executionRole = role;
    this.functionFile = props.functionName;
    this.timeoutSeconds = props.timeoutSeconds;
    this.setVariables({ STAGE: stage.name, LOG_LEVEL: stage.logLevel });
    // Read by Powertools itself: what sets the logs and counts of two stages in one account apart.
    this.addEnvironment('POWERTOOLS_SERVICE_NAME', stage.stackName);
    const values = stageVariables(stage);
    for (const name of props.settings ?? []) {
      const value = values[name];
      if (value === undefined) throw new Error(`${name} is not settled by the stage`);
      this.setVariables({ [name]: value });
    }
    this.errors = watch(this, 'Errors', {
      stage,
      metric: this.metricErrors({ period: Duration.minutes(5) }),
      says: `${props.functionName} throws or times out.`,
      runbook: 'function-errors',
    });
    watch(this, 'Throttles', {
      stage,
      metric: this.metricThrottles({ period: Duration.minutes(5) }),
      says: `${props.functionName} is called more often at once than it may run.`,
      runbook: 'function-throttles',
    });
    acknowledge(this, {
      'Serverless-LambdaDLQ':
        'Called by API Gateway, which waits, by a queue or stream with a dead-letter queue of its own, or every minute.',
      ...(stage.tracing ? {} : { 'Serverless-LambdaTracing': 'The stage chose not to pay for traces.' }),
    });
    acknowledge(role, {
      ...(stage.tracing
        ? { 'AwsSolutions-IAM5[Resource::*]': 'X-Ray knows no resource to write a trace to.' }
        : {}),
    });
  }

  /** What callers call: where new code begins with a part of the calls, the alias that parts them. */
  get live(): IFunction {
    if (!this.stage.canary) return this;
    // The CDK's own types do not hold under exactOptionalPropertyTypes.
    return this.liveAlias as IFunction;
  }

  get liveAlias(): Alias {
    this.alias ??= new Alias(this, 'Live', { aliasName: 'live', version: this.currentVersion as IVersion });
    return this.alias;
  }

  /** Sets variables under the names that `shared/env.ts` knows. */
  setVariables(variables: Partial<Record<EnvironmentName, string>>): void {
    for (const [name, value] of Object.entries(variables)) this.addEnvironment(name, value);
  }
}
