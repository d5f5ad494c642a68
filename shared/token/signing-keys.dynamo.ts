/** The signing-keys table: the public keys that verify tokens, published before their first token and found by `kid`. */

import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { conditionalPut } from '../platform/aws/conditional-write.dynamo.ts';
import type { Context } from '../platform/context.ts';
import { jsonIn } from '../platform/object-fields.ts';

export const publicJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
});

export type PublicJwk = z.output<typeof publicJwk>;

/**
 * Returns by `kid` the keys that sign, and those whose tokens may still be valid. A key is undefined if its row is
 * malformed, so that the other keys still work.
 */
export async function publishedKeys({
  db,
  env,
}: Context<'SIGNING_KEYS_TABLE'>): Promise<ReadonlyMap<string, PublicJwk | undefined>> {
  // The table has one row for each generation of the key, and a page holds far more.
  const { Items = [] } = await db.send(
    new ScanCommand({ TableName: env.SIGNING_KEYS_TABLE, ConsistentRead: true }),
  );
  return new Map(Items.map(({ kid, public_jwk }) => [String(kid), jwkIn(public_jwk)]));
}

/** Does not change an existing key. @returns when the key was first published, as far as its row says it */
export async function publishKey(
  { db, env, clock }: Context<'SIGNING_KEYS_TABLE'>,
  kid: string,
  jwk: PublicJwk,
): Promise<Date> {
  const at = clock();
  const publishing = await conditionalPut(db, {
    TableName: env.SIGNING_KEYS_TABLE,
    Item: { kid, public_jwk: JSON.stringify(jwk), created_at: at.toISOString() },
    ConditionExpression: 'attribute_not_exists(kid)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return publishing.applied ? at : new Date(String(publishing.row?.created_at));
}

function jwkIn(text: unknown): PublicJwk | undefined {
  return publicJwk.safeParse(jsonIn(String(text))).data;
}
