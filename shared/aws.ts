/** Where AWS clients are made: each call has a time limit, and few enough retries to end before the function does. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Milliseconds; a DynamoDB or SQS call that takes longer is tried again elsewhere. */
const timeLimits = { connectionTimeout: 1000, requestTimeout: 3000 };
const clientConfig = { maxAttempts: 3, requestHandler: timeLimits };

export function dynamo(): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(new DynamoDBClient(clientConfig), {
    marshallOptions: { removeUndefinedValues: true },
  });
}

export function sqs(): SQSClient {
  return new SQSClient(clientConfig);
}

export function scheduler(): SchedulerClient {
  return new SchedulerClient(clientConfig);
}
