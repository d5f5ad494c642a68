/** Writes the number of the newest use into the first record of an Idempotency-Key, and extends its retention. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../../platform/aws/conditional-write.dynamo.ts';
import { addDays, epochSeconds } from '../../platform/clock.ts';

/** Beyond the retention, which begins at the end of the validity period of the newest record. */
const extraDays = 10;

/** False where the record is gone. The end of its retention only moves later: a scheduled message may need it longer. */
export async function noteKeyUse(
  client: DynamoDBDocumentClient,
  { tableName: TableName, retentionDays }: { readonly tableName: string; readonly retentionDays: number },
  Key: Readonly<Record<string, string>>,
  { use, at }: { readonly use: number; readonly at: Date },
): Promise<boolean> {
  const [idName = ''] = Object.keys(Key);
  const keptUntil = epochSeconds(addDays(at, retentionDays + extraDays));
  const values = { ':use': use, ':purge': keptUntil };
  const ended = `attribute_exists(${idName}) AND purge_at < :purge`;
  if (await update('SET key_use = :use, purge_at = :purge', ended, values)) return true;
  return update('SET key_use = :use', `attribute_exists(${idName})`, { ':use': use });

  async function update(
    UpdateExpression: string,
    ConditionExpression: string,
    ExpressionAttributeValues: Record<string, unknown>,
  ): Promise<boolean> {
    const command = { TableName, Key, UpdateExpression, ConditionExpression, ExpressionAttributeValues };
    const { applied } = await conditionalUpdate(client, command);
    return applied;
  }
}
