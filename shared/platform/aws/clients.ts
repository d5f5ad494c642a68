/** Where AWS clients are made, one of each for a process: each call has a time limit, and few enough retries to end before the function does. */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Sha256 } from './sha256.ts';

/** Milliseconds; a call that takes longer is tried again elsewhere. Without the last setting it is only warned of. */
const timeLimits = { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true };
const clientConfig = { maxAttempts: 3, requestHandler: timeLimits, sha256: Sha256 };

let documents: DynamoDBDocumentClient | undefined;

export function dynamo(): DynamoDBDocumentClient {
  documents ??= documentClient(dynamoClient());
  return documents;
}

/** As the functions have it; a measurement names its own endpoint. */
export function dynamoClient(config: DynamoDBClientConfig = {}): DynamoDBClient {
  return lean(new DynamoDBClient({ ...clientConfig, ...config }));
}

/** Every number becomes a plain one: one that a person typed too large to be exact must not break the reading of a row. */
export function documentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
}

export function sqs(): SQSClient {
  return lean(new SQSClient(clientConfig));
}

export function scheduler(): SchedulerClient {
  return lean(new SchedulerClient(clientConfig));
}

export function secretsManager(): SecretsManagerClient {
  return lean(new SecretsManagerClient(clientConfig));
}

export function kms(): KMSClient {
  return lean(new KMSClient(clientConfig));
}

/** Without the SDK's log middleware, which copies each call's input and output for a logger that none of our clients has. */
function lean<C extends { readonly middlewareStack: { remove(name: string): boolean } }>(client: C): C {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
