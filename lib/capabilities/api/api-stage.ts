/** The API as it is published: its throttle, its logs and traces, and the alarms on what callers see of it. */
import { Duration } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  LogGroupLogDestination,
  MethodLoggingLevel,
  type RestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { countedMetric, watch } from '../../constructs/alarm.ts';
import { dataRemovalPolicy } from '../../constructs/removal-policy.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/** Part of the answers in a minute. */
const errorsPart = 0.01;
const latencyMs = 3000;

export function apiStageOptions(scope: Construct, stage: StageSettings): StageOptions {
  const { requestsPerSecond, burst } = stage.apiThrottle;
  return {
    stageName: 'live',
    throttlingRateLimit: requestsPerSecond,
    throttlingBurstLimit: burst,
    tracingEnabled: stage.tracing,
    ...(stage.apiAccessLogs ? accessLog(scope, stage) : {}),
  };
}

/** What each function logs of its requests, for those that reach none. */
function accessLog(scope: Construct, stage: StageSettings): StageOptions {
  const logGroup = new LogGroup(scope, 'AccessLog', {
    retention: stage.logRetentionDays,
    removalPolicy: dataRemovalPolicy(stage),
  });
  const fields = {
    request_id: AccessLogField.contextRequestId(),
    source_ip: AccessLogField.contextIdentitySourceIp(),
    method: AccessLogField.contextHttpMethod(),
    route: AccessLogField.contextResourcePath(),
    status: AccessLogField.contextStatus(),
    latency_ms: AccessLogField.contextResponseLatency(),
    answered_by: AccessLogField.contextErrorResponseType(),
  };
  return {
    accessLogDestination: new LogGroupLogDestination(logGroup),
    accessLogFormat: AccessLogFormat.custom(JSON.stringify(fields)),
    loggingLevel: MethodLoggingLevel.ERROR,
  };
}

/** Alarms that also tell a canary from good code. */
export function watchApi(scope: Construct, api: RestApi, stage: StageSettings): readonly Alarm[] {
  // Shorter than the five minutes that a canary has, so that what it does is seen in time.
  const period = Duration.minutes(1);
  watch(scope, 'LimitOverrides', {
    stage,
    metric: countedMetric(stage, 'InvalidLimitOverride'),
    says: 'A row of limit-overrides holds a value that is no limit; the default is used in its place.',
    runbook: 'limit-overrides',
  });
  return [
    watch(scope, 'ServerErrors', {
      stage,
      // The average of zeros and ones: the part of the answers that were errors of ours.
      metric: api.metricServerError({ period, statistic: 'Average' }),
      threshold: errorsPart,
      periods: 3,
      breachingPeriods: 2,
      says: `${errorsPart * 100} % of the answers or more were 5xx in two of three minutes.`,
      runbook: 'api-errors',
    }),
    watch(scope, 'Latency', {
      stage,
      metric: api.metricLatency({ period, statistic: 'p99' }),
      threshold: latencyMs,
      periods: 5,
      breachingPeriods: 3,
      says: `One answer in a hundred took ${latencyMs} ms or longer in three of five minutes.`,
      runbook: 'api-latency',
    }),
  ];
}

export function acknowledgeApi(api: RestApi, stage: StageSettings): void {
  const ownAuthorization =
    'Each function authenticates its caller by token or API key before all else, and answers in the form of the contract.';
  const noAccessLog = 'The stage chose the line that each function writes of its requests as its only log.';
  acknowledge(api, {
    'AwsSolutions-APIG2':
      'Each function checks its request by its schema, and names all faulty fields at once.',
    'AwsSolutions-APIG4': ownAuthorization,
    'AwsSolutions-COG4': ownAuthorization,
    ...(stage.webAcl ? {} : { 'AwsSolutions-APIG3': 'The stage chose not to pay for a web ACL.' }),
    ...(stage.tracing ? {} : { 'Serverless-APIGWXrayEnabled': 'The stage chose not to pay for traces.' }),
    ...(stage.apiAccessLogs
      ? {
          'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
            "The policy that AWS made for API Gateway's log role, of which an account has one.",
        }
      : {
          'AwsSolutions-APIG1': noAccessLog,
          'AwsSolutions-APIG6': noAccessLog,
          'Serverless-APIGWAccessLogging': noAccessLog,
        }),
  });
}
