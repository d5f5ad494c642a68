/** The API's stage: throttling, access logs, and alarms on errors, latency, rows of limits and senders, and spend caps. */
import { Duration } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  LogGroupLogDestination,
  type SpecRestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { apiStageName } from '../../../shared/contract/api.ts';
import { countedMetric, createAlarm } from '../../constructs/alarm.ts';
import { encrypted } from '../../constructs/encryption.ts';
import { dataRemovalPolicy } from '../../constructs/removal-policy.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/** The fraction of 5xx responses in a minute. */
const errorRate = 0.01;
const latencyMs = 3000;

export function apiStageOptions(scope: Construct, stage: StageSettings): StageOptions {
  const { requestsPerSecond, burst } = stage.apiThrottle;
  return {
    stageName: apiStageName,
    throttlingRateLimit: requestsPerSecond,
    throttlingBurstLimit: burst,
    // The stage has no traces: they contain the URL with its query, which can have phone numbers. The functions have
    // traces.
    ...(stage.apiAccessLogs ? accessLog(scope, stage) : {}),
  };
}

/** An account has one such role in a region, which another stack may have set: it is not replaced then. */
export function makesLogRole({ apiAccessLogs, apiLogRole }: StageSettings): boolean {
  return apiAccessLogs && apiLogRole === 'create';
}

/** Logs requests that reach no function, with the fields that the functions log. */
function accessLog(scope: Construct, stage: StageSettings): StageOptions {
  const logGroup = new LogGroup(scope, 'AccessLog', {
    retention: stage.logRetentionDays,
    removalPolicy: dataRemovalPolicy(stage),
    ...encrypted(scope, stage),
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
  };
}

/** @returns the alarms that also roll a canary back */
export function createApiAlarms(scope: Construct, api: SpecRestApi, stage: StageSettings): readonly Alarm[] {
  // The period is shorter than the five minutes of a canary, so that an alarm can roll it back in time.
  const period = Duration.minutes(1);
  createAlarm(scope, 'LimitOverrides', {
    stage,
    metric: countedMetric(stage, 'InvalidLimitOverride'),
    meaning: 'A row of limit-overrides has an invalid value; the default is used instead.',
    runbook: 'limit-overrides',
  });
  createAlarm(scope, 'Senders', {
    stage,
    metric: countedMetric(stage, 'InvalidSender'),
    meaning: 'A row of senders has an invalid value; the next row in order is used instead.',
    runbook: 'senders',
  });
  createAlarm(scope, 'SpendCaps', {
    stage,
    metric: countedMetric(stage, 'SpendCapReached'),
    meaning: 'A client has reached its spend cap: its sends are refused until the day or month ends.',
    runbook: 'spend-caps',
  });
  const alarms = [
    createAlarm(scope, 'ServerErrors', {
      stage,
      // Each response counts as 0 or 1, so the average is the fraction of 5xx responses.
      metric: api.metricServerError({ period, statistic: 'Average' }),
      threshold: errorRate,
      periods: 3,
      breachingPeriods: 2,
      meaning: `${errorRate * 100} % or more of the responses were 5xx in two of three minutes.`,
      runbook: 'api-errors',
    }),
    createAlarm(scope, 'Latency', {
      stage,
      metric: api.metricLatency({ period, statistic: 'p99' }),
      threshold: latencyMs,
      periods: 5,
      breachingPeriods: 3,
      meaning: `The p99 latency was ${latencyMs} ms or longer in three of five minutes.`,
      runbook: 'api-latency',
    }),
  ];
  return alarms.filter((alarm) => alarm !== undefined);
}

export function acknowledgeApi(api: SpecRestApi, stage: StageSettings): void {
  const ownAuthorization =
    'Each function first authenticates its caller by token or API key, and responds in the form of the contract.';
  const noAccessLog = 'The stage setting turns access logs off; each function logs its requests.';
  // Amazon API Gateway, "Set up CloudWatch logging for REST APIs": API Gateway itself creates the group
  // `API-Gateway-Execution-Logs_{rest-api-id}/{stage_name}`.
  const noExecutionLog =
    'Its log group would be outside the stack, never expire, and have paths with phone numbers; the functions log.';
  acknowledge(api, {
    'AwsSolutions-APIG2':
      'Each function validates its request by its schema, and names all invalid fields at once.',
    'AwsSolutions-APIG4': ownAuthorization,
    'AwsSolutions-COG4': ownAuthorization,
    'AwsSolutions-APIG6': noExecutionLog,
    ...(stage.webAcl || stage.webAclArn !== undefined
      ? {}
      : { 'AwsSolutions-APIG3': 'The stage setting turns the web ACL off.' }),
    'Serverless-APIGWXrayEnabled':
      'The traces of API Gateway have the URL, so phone numbers; the functions are traced.',
    ...(makesLogRole(stage)
      ? {
          'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
            "AWS's managed policy for API Gateway's log role, of which an account has one.",
        }
      : {}),
    ...(stage.apiAccessLogs
      ? {}
      : { 'AwsSolutions-APIG1': noAccessLog, 'Serverless-APIGWAccessLogging': noAccessLog }),
  });
}
