/** The signing-keys table: one row for each public key. */
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut } from '../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../platform/aws/read-rows.dynamo.ts';
import { publicJwk, type SigningKeyStore } from './signing-keys.ts';

const signingKeyRow = z.object({
  kid: z.string(),
  public_jwk: z.pipe(
    z.pipe(
      z.string(),
      z.transform((text): unknown => JSON.parse(text)),
    ),
    publicJwk,
  ),
});

export function dynamoSigningKeyStore(dynamo: DynamoDBDocumentClient, TableName: string): SigningKeyStore {
  return {
    async find(kid) {
      const row = await readRow(dynamo, signingKeyRow, { TableName, Key: { kid }, ConsistentRead: true });
      return row?.public_jwk;
    },
    async all() {
      // One row for each generation of the key: a page holds far more.
      const { Items = [] } = await dynamo.send(new ScanCommand({ TableName, ConsistentRead: true }));
      const rows = Items.map((item) => signingKeyRow.parse(item));
      return new Map(rows.map(({ kid, public_jwk }) => [kid, public_jwk]));
    },
    async publish(kid, jwk, at) {
      const Item = { kid, public_jwk: JSON.stringify(jwk), created_at: at.toISOString() };
      await conditionalPut(dynamo, {
        TableName,
        Item,
        ConditionExpression: 'attribute_not_exists(kid)',
      });
    },
  };
}
