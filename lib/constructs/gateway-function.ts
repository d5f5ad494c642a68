/**
 * A Lambda function with a role of its own that may write its own log and nothing else: every further right
 * comes from a grant, which sets the variable that goes with it too.
 */
import { Duration } from 'aws-cdk-lib';
import { type Alarm, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Role } from 'aws-cdk-lib/aws-iam';
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
import type { EnvironmentName } from '../../shared/platform/env.ts';
import { bundleFunctions } from '../build/bundle.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import { stageVariables } from '../stages/stage-variables.ts';
import { watch } from './alarm.ts';
import { InlineRole } from './inline-role.ts';
import { dataRemovalPolicy } from './removal-policy.ts';
import { acknowledge } from './template-rules.ts';

const tracesAnywhere = 'X-Ray knows no resource to write a trace to.';

/** Of a function's calls in a minute. */
const failedPart = 0.01;

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
  /** Beside its code, by their names: what is too long for a variable, of which a function has 4 KB in all. */
  readonly files?: Readonly<Record<string, string>>;
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
    const role = new InlineRole(scope, `${id}Role`, { service: 'lambda.amazonaws.com' });
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: stage.logRetentionDays,
      removalPolicy: dataRemovalPolicy(stage),
    });
    logGroup.grant(role, 'logs:CreateLogStream', 'logs:PutLogEvents');
    const reserved = stage.reservedConcurrency[props.functionName];
    super(scope, id, {
      description: `Messaging gateway (${stage.name}): ${props.functionName}`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(bundleFunctions().folder(props.functionName, props.files)),
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
    this.errors = this.watchErrors();
    acknowledge(this, {
      'Serverless-LambdaDLQ':
        'Called by API Gateway, which waits, by a queue or stream with a dead-letter queue of its own, or every minute.',
      ...(stage.tracing ? {} : { 'Serverless-LambdaTracing': 'The stage chose not to pay for traces.' }),
    });
    acknowledge(role, {
      ...(stage.tracing
        ? {
            'AwsSolutions-IAM5[Resource::*]': tracesAnywhere,
            'Serverless-LambdaStarPermissions': tracesAnywhere,
          }
        : {}),
    });
  }

  /**
   * Lambda's `Errors` has what throws or times out. A function that answers 5xx, or leaves messages in its queue, has
   * succeeded in its eyes, and counts that itself (`shared/platform/metrics.ts`). In minutes, and as a part of the function's
   * own calls: a canary has a tenth of them for five minutes, and the function may have few of the API's.
   */
  private watchErrors(): Alarm {
    const { stage, functionFile } = this;
    if (!stage.alarmsOnExpressions) {
      return watch(this, 'Errors', {
        stage,
        metric: this.metricErrors({ period: Duration.minutes(1) }),
        says: `${functionFile} throws or times out.`,
        runbook: 'function-errors',
      });
    }
    const period = Duration.minutes(1);
    const failures = new Metric({
      namespace: 'MessagingGateway',
      metricName: 'FunctionFailure',
      dimensionsMap: { function_name: this.functionName },
      statistic: 'Sum',
    });
    return watch(this, 'Errors', {
      stage,
      metric: new MathExpression({
        // A sum takes what there is: nothing is counted before the first failure.
        expression: 'SUM([errors, failures]) / calls',
        usingMetrics: { errors: this.metricErrors(), failures, calls: this.metricInvocations() },
        period,
      }),
      threshold: failedPart,
      periods: 3,
      breachingPeriods: 1,
      says: `${functionFile} throws, times out, answers 5xx or leaves messages in its queue, in ${failedPart * 100} % of its calls in a minute.`,
      runbook: 'function-errors',
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

  /** Sets variables under the names that `shared/platform/env.ts` knows. */
  setVariables(variables: Partial<Record<EnvironmentName, string>>): void {
    for (const [name, value] of Object.entries(variables)) this.addEnvironment(name, value);
  }
}
