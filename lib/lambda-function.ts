/**
 * A Lambda function with a role of its own that may write its own log and nothing else: every further right
 * comes from a grant, which sets the variable that goes with it too.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  Code,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { EnvironmentName } from '../shared/env.ts';
import { bundleFunctions } from './bundle.ts';
import { stageVariables } from './stage-variables.ts';
import type { StageSettings } from './stages.ts';

export interface GatewayFunctionProps {
  readonly stage: StageSettings;
  /** The file in `functions/`, without its ending. */
  readonly functionName: string;
  readonly timeoutSeconds: number;
  /** CPU comes with memory: below 512 MB a start takes over a second. */
  readonly memoryMegabytes?: number;
  /** Variables that the stage settles, which this function reads. */
  readonly settings?: readonly EnvironmentName[];
}

export class GatewayFunction extends LambdaFunction {
  readonly functionFile: string;
  readonly timeoutSeconds: number;

  constructor(scope: Construct, id: string, props: GatewayFunctionProps) {
    const { stage } = props;
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const logGroup = new LogGroup(scope, `${id}Log`, {
      retention: stage.logRetentionDays,
      removalPolicy: stage.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    logGroup.grant(role, 'logs:CreateLogStream', 'logs:PutLogEvents');
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
    });
    this.functionFile = props.functionName;
    this.timeoutSeconds = props.timeoutSeconds;
    this.setVariables({ STAGE: stage.name, LOG_LEVEL: stage.logLevel });
    const values = stageVariables(stage);
    for (const name of props.settings ?? []) {
      const value = values[name];
      if (value === undefined) throw new Error(`${name} is not settled by the stage`);
      this.setVariables({ [name]: value });
    }
    new Alarm(this, 'Errors', {
      alarmDescription: `${props.functionName} throws or times out: its log group has the lines of level ERROR.`,
      metric: this.metricErrors({ period: Duration.minutes(5) }),
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  /** Sets variables under the names that `shared/env.ts` knows. */
  setVariables(variables: Partial<Record<EnvironmentName, string>>): void {
    for (const [name, value] of Object.entries(variables)) this.addEnvironment(name, value);
  }
}
