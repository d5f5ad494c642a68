/** Makes the AWS clients, one of each per process, and gives every call a time limit. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const bounded = { maxAttempts: 3, requestHandler: { requestTimeout: 3000, connectionTimeout: 1000 } };

let dynamoClient: DynamoDBDocumentClient | undefined;
let kmsClient: KMSClient | undefined;

/** Numbers become plain numbers: one that a person typed too large to be exact must not break the reading of a row. */
export function dynamo(): DynamoDBDocumentClient {
  dynamoClient ??= documentClient(new DynamoDBClient(bounded));
  return dynamoClient;
}

export function documentClient(client: DynamoDBClient): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: Number },
  });
}

export function kms(): KMSClient {
  kmsClient ??= new KMSClient(bounded);
  return kmsClient;
}
