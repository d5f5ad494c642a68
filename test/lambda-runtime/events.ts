/** Complete events as AWS's documentation shows them, with fields that no function reads. */
import { createHash, randomUUID } from 'node:crypto';
import { apiStageName } from '../../shared/contract/api.ts';

interface HttpCall {
  readonly method: string;
  /** As the API knows it: `/api/v1/messages/{message_id}`. */
  readonly resource: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const several = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));

/** API Gateway developer guide, "Input format of a Lambda function for proxy integration". */
export function apiGatewayEvent({ method, resource, parameters, query, headers, body }: HttpCall): unknown {
  const path = resource.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) => parameters?.[name] ?? '');
  const all = {
    Accept: '*/*',
    'Accept-Encoding': 'gzip, deflate, br',
    'CloudFront-Viewer-Country': 'GB',
    Host: 'abcdef1234.execute-api.eu-west-1.amazonaws.com',
    'User-Agent': 'curl/8.9.1',
    Via: '2.0 abcdef.cloudfront.net (CloudFront)',
    'X-Amzn-Trace-Id': 'Root=1-67891233-abcdef012345678912345678',
    'X-Forwarded-For': '198.51.100.7, 203.0.113.9',
    'X-Forwarded-Port': '443',
    'X-Forwarded-Proto': 'https',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    ...headers,
  };
  return {
    resource,
    path,
    httpMethod: method,
    headers: all,
    multiValueHeaders: several(all),
    queryStringParameters: query ?? null,
    multiValueQueryStringParameters: query === undefined ? null : several(query),
    pathParameters: parameters ?? null,
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdef1234',
      domainName: 'abcdef1234.execute-api.eu-west-1.amazonaws.com',
      domainPrefix: 'abcdef1234',
      extendedRequestId: 'JKJaXmPLvHcESHA=',
      httpMethod: method,
      identity: {
        accessKey: null,
        accountId: null,
        caller: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: '203.0.113.9',
        user: null,
        userAgent: 'curl/8.9.1',
        userArn: null,
      },
      path: `/${apiStageName}${path}`,
      protocol: 'HTTP/1.1',
      requestId: randomUUID(),
      requestTime: '20/Nov/2026:10:00:00 +0000',
      requestTimeEpoch: 1795168800000,
      resourceId: '123456',
      resourcePath: resource,
      stage: apiStageName,
    },
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
  };
}

/** Lambda developer guide, "Using Lambda with Amazon SQS": a standard queue with message groups. */
export function sqsEvent(queueArn: string, ...bodies: readonly string[]): unknown {
  return {
    Records: bodies.map((body) => ({
      messageId: randomUUID(),
      receiptHandle: 'AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a...',
      body,
      attributes: {
        ApproximateReceiveCount: '1',
        AWSTraceHeader: 'Root=1-67891233-abcdef012345678912345678;Parent=53995c3f42cd8ad8;Sampled=0',
        MessageGroupId: 'client_0a1b2c3d4e5f6g7h',
        SentTimestamp: '1795168800000',
        SenderId: 'AROAEXAMPLE:relay',
        ApproximateFirstReceiveTimestamp: '1795168800005',
      },
      messageAttributes: {},
      md5OfBody: createHash('md5').update(body).digest('hex'),
      eventSource: 'aws:sqs',
      eventSourceARN: queueArn,
      awsRegion: 'eu-west-1',
    })),
  };
}

/** SNS developer guide, "Sending Amazon SNS messages to an Amazon SQS queue": the body, without raw delivery. */
export function snsNotification(message: string): string {
  return JSON.stringify({
    Type: 'Notification',
    MessageId: randomUUID(),
    TopicArn: 'arn:aws:sns:eu-west-1:123456789012:receipts',
    Message: message,
    Timestamp: '2026-11-20T10:00:00.000Z',
    SignatureVersion: '1',
    Signature:
      'EXAMPLEpH+DcEwjAPg8O9mY8dReBSwksfg2S7WKQcikcNKWLQjwu6A4VbeS0QHVCkhRS7fUQvi2egU3N858fiTDN6bkkOxYDVrY0Ad8L10Hs3zH81mtnPk5uvvolIC1CXGu43obcgFxeL3khZl8IKvO61GWB6jI9b5+gLPoBc1Q=',
    SigningCertURL:
      'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0000000000000000000000.pem',
    UnsubscribeURL:
      'https://sns.eu-west-1.amazonaws.com/?Action=Unsubscribe&SubscriptionArn=arn:aws:sns:eu-west-1:123456789012:receipts:2bcfbf39-05c3-41de-beaa-fcfcc21c8f55',
  });
}

/** Lambda developer guide, "Using Lambda with Amazon DynamoDB": a new row, as the stream has it. */
export function streamEvent(table: string, keys: object, newImage: object): unknown {
  return {
    Records: [
      {
        eventID: 'c81e728d9d4c2f636f067f89cc14862c',
        eventName: 'INSERT',
        eventVersion: '1.1',
        eventSource: 'aws:dynamodb',
        awsRegion: 'eu-west-1',
        dynamodb: {
          ApproximateCreationDateTime: 1795168800,
          Keys: keys,
          NewImage: newImage,
          SequenceNumber: '4421584500000000017450439091',
          SizeBytes: 412,
          StreamViewType: 'NEW_AND_OLD_IMAGES',
        },
        eventSourceARN: `arn:aws:dynamodb:eu-west-1:123456789012:table/${table}/stream/2026-11-20T00:00:00.000`,
      },
    ],
  };
}

/** EventBridge Scheduler user guide, "Setting up a schedule": what a target without an input of its own receives. */
export function scheduleEvent(name: string): unknown {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account: '123456789012',
    time: '2026-11-20T10:00:00Z',
    region: 'eu-west-1',
    resources: [`arn:aws:scheduler:eu-west-1:123456789012:schedule/gateway/${name}`],
    detail: '{}',
  };
}
