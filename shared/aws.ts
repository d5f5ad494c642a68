/** Where AWS clients are made, one of each for a process: each call has a time limit, and few enough retries to end before the function does. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** Milliseconds; a call that takes longer is tried again elsewhere. Without the last setting it is only warned of. */
const timeLimits = { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true };
const clientConfig = { maxAttempts: 3, requestHandler: timeLimits };

let documents: DynamoDBDocumentClient | undefined;

export function dynamo(): DynamoDBDocumentClient {
  documents ??= documentClient(new DynamoDBClient(clientConfig));
  return documents;
}

/** Every number becomes a plain one: one that a person typed too large to be exact must not break the reading of a row. */
export function documentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
}

export function sqs(): SQSClient {
  return new SQSClient(clientConfig);
}

export function scheduler(): SchedulerClient {
  return new SchedulerClient(clientConfig);
}

export function secretsManager(): SecretsManagerClient {
  return new SecretsManagerClient(clientConfig);
}

export function kms(): KMSClient {
  return new KMSClient(clientConfig);
}
