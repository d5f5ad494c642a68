/** The signing-keys table: the public keys that verify tokens, published before their first token and found by `kid`. */
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut } from '../platform/aws/conditional-write.dynamo.ts';
import { readRow } from '../platform/aws/read-rows.dynamo.ts';

export const publicJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
});

type PublicJwk = z.output<typeof publicJwk>;

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

export type SigningKeyStore = ReturnType<typeof dynamoSigningKeyStore>;

export function dynamoSigningKeyStore(dynamo: DynamoDBDocumentClient, TableName: string) {
  return {
    async find(kid: string): Promise<PublicJwk | undefined> {
      const row = await readRow(dynamo, signingKeyRow, { TableName, Key: { kid }, ConsistentRead: true });
      return row?.public_jwk;
    },
    /** By `kid`: those that sign, and those that signed tokens that may still be valid. */
    async all(): Promise<ReadonlyMap<string, PublicJwk>> {
      // One row for each generation of the key: a page holds far more.
      const { Items = [] } = await dynamo.send(new ScanCommand({ TableName, ConsistentRead: true }));
      const rows = Items.map((item) => signingKeyRow.parse(item));
      return new Map(rows.map(({ kid, public_jwk }) => [kid, public_jwk]));
    },
    /** Does not change an existing key. */
    async publish(kid: string, jwk: PublicJwk, at: Date): Promise<void> {
      const Item = { kid, public_jwk: JSON.stringify(jwk), created_at: at.toISOString() };
      await conditionalPut(dynamo, { TableName, Item, ConditionExpression: 'attribute_not_exists(kid)' });
    },
  };
}
