/** The API's stage: throttling and access logs. */
import {
  AccessLogField,
  AccessLogFormat,
  LogGroupLogDestination,
  type SpecRestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { apiStageName } from '../../../shared/contract/routes.ts';
import { encrypted } from '../../constructs/encryption.ts';
import { dataRemovalPolicy } from '../../constructs/removal-policy.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

export function apiStageOptions(scope: Construct, stage: StageSettings): StageOptions {
  const { requestsPerSecond, burst } = stage.apiThrottle;
  return {
    stageName: apiStageName,
    throttlingRateLimit: requestsPerSecond,
    throttlingBurstLimit: burst,
    // Only functions have traces: a trace of the stage would contain the URL with its query, which can contain phone
    // numbers.
    ...(stage.apiAccessLogs ? accessLog(scope, stage) : {}),
  };
}

/** Logs requests that reach no function, with the same fields as the functions' logs. */
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

export function acknowledgeApi(api: SpecRestApi, stage: StageSettings): void {
  const ownAuthorization =
    'Each function first authenticates its caller by token or API key, and responds in the form of the contract.';
  const noAccessLog = 'The stage setting turns access logs off; each function logs its requests.';
  //  API Gateway itself creates the group `API-Gateway-Execution-Logs_{rest-api-id}/{stage_name}` (Amazon API Gateway, "Set
  //  up CloudWatch logging for REST APIs").
  const noExecutionLog =
    'Its log group would be outside the stack, never expire, and have paths with phone numbers; the functions log.';
  acknowledge(api, {
    'AwsSolutions-APIG2':
      'Each function validates its request by its schema, and names all invalid fields at once.',
    'AwsSolutions-APIG4': ownAuthorization,
    'AwsSolutions-COG4': ownAuthorization,
    'AwsSolutions-APIG6': noExecutionLog,
    ...(stage.webAcl !== false ? {} : { 'AwsSolutions-APIG3': 'The stage setting turns the web ACL off.' }),
    'Serverless-APIGWXrayEnabled':
      'The traces of API Gateway have the URL, so phone numbers; the functions are traced.',
    ...(stage.apiAccessLogs
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
