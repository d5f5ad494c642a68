/**
 * Reviews rows of a table that operators edit, and updates their feedback if it is wrong. Rows are compared in DynamoDB's
 * own form, because a typed number can be longer than a JavaScript number.
 */
import {
  type AttributeValue,
  QueryCommand,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { everyClient } from '../contract/rate-limits-and-caps.ts';
import { conditionalUpdateItem } from '../platform/aws/conditional-write.dynamo.ts';
import { chunksOf } from '../platform/aws/read-rows.dynamo.ts';
import type { Context } from '../platform/context.ts';
import type { Feedback } from './feedback.ts';
import {
  type EditedRow,
  type EditedTable,
  type EditedVariable,
  type Image,
  tableNameOf,
  unchangedRow,
} from './row-editor.dynamo.ts';

/** A row as it was read, with its image, with which the write of the feedback is compared. */
interface StoredRow {
  readonly row: EditedRow;
  readonly image: Image;
}

/** Uses consistent reads, because the feedback of a simultaneous review must be visible. */
export function storedRowsOf<Variable extends EditedVariable>(
  ctx: Context<Variable>,
  table: EditedTable<Variable>,
  clientId: string,
): Promise<StoredRow[]> {
  return allPages((ExclusiveStartKey) =>
    ctx.db.send(
      new QueryCommand({
        TableName: tableNameOf(ctx, table),
        ConsistentRead: true,
        KeyConditionExpression: 'client_id = :client_id',
        ExpressionAttributeValues: { ':client_id': { S: clientId } },
        ExclusiveStartKey,
      }),
    ),
  );
}

/** Uses consistent reads, because the stored feedback may be for the row before the edit. */
export function allStoredRows<Variable extends EditedVariable>(
  ctx: Context<Variable>,
  table: EditedTable<Variable>,
): Promise<StoredRow[]> {
  const scan = { TableName: tableNameOf(ctx, table), ConsistentRead: true };
  return allPages((ExclusiveStartKey) => ctx.db.send(new ScanCommand({ ...scan, ExclusiveStartKey })));
}

/** Returns the rows that have `expires_at`, but no feedback that they have expired. */
export async function notYetExpired<Variable extends EditedVariable>(
  ctx: Context<Variable>,
  table: EditedTable<Variable>,
): Promise<EditedRow[]> {
  const scan = {
    TableName: tableNameOf(ctx, table),
    FilterExpression: 'attribute_exists(expires_at) AND NOT #status = :expired',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':expired': { S: 'expired' } },
  };
  const stored = await allPages((ExclusiveStartKey) =>
    ctx.db.send(new ScanCommand({ ...scan, ExclusiveStartKey })),
  );
  return stored.map(({ row }) => row);
}

async function allPages(
  read: (
    start: Record<string, AttributeValue> | undefined,
  ) => Promise<QueryCommandOutput | ScanCommandOutput>,
): Promise<StoredRow[]> {
  const rows: StoredRow[] = [];
  let start: Record<string, AttributeValue> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await read(start);
    rows.push(...Items.map((image) => ({ image, row: unmarshall(image, { wrapNumbers: Number }) })));
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return rows;
}

const writesAtOnce = 25;
/** A row that changes during each attempt is still being edited, and its next change starts another review. */
const attempts = 3;

/**
 * Updates the feedback in rows. Feedback depends only on the rows, and correct feedback is not written again. So a review
 * can be repeated, interrupted, or run twice at once. A write requires an unchanged row, so it neither re-creates a deleted
 * row nor replaces the feedback on a newer edit.
 *
 * @param feedbackFor - returns the feedback for each row, which may depend on other rows
 */
export async function reviewRows<Variable extends EditedVariable>(
  ctx: Context<Variable>,
  table: EditedTable<Variable>,
  read: () => Promise<readonly StoredRow[]>,
  feedbackFor: (rows: readonly EditedRow[]) => Promise<(row: EditedRow) => Feedback>,
) {
  let written = 0;
  for (let attempt = 1; ; attempt += 1) {
    const stored = await read();
    const feedbackOf = await feedbackFor(stored.map(({ row }) => row));
    const due = stored
      .map(({ row, image }) => ({ row, image, feedback: feedbackOf(row) }))
      .filter(({ row, feedback }) => !isRight(row, feedback));
    let changed = 0;
    for (const chunk of chunksOf(due, writesAtOnce)) {
      const applied = await Promise.all(
        chunk.map(({ image, feedback }) => writeFeedback(ctx, table, image, feedback)),
      );
      written += applied.filter(Boolean).length;
      changed += applied.filter((one) => !one).length;
    }
    if (changed === 0 || attempt === attempts) return { rows: stored.length, written };
  }
}

function isRight({ status, status_message }: EditedRow, feedback: Feedback): boolean {
  return status === feedback.status && status_message === feedback.status_message;
}

/**
 * Writes the feedback if the reviewed attributes and the previous feedback are unchanged. Otherwise a newer review decides.
 * Returns false if the row was changed or removed.
 */
async function writeFeedback<Variable extends EditedVariable>(
  ctx: Context<Variable>,
  table: EditedTable<Variable>,
  image: Image,
  { status, status_message }: Feedback,
): Promise<boolean> {
  const { sortKey, attributes } = table;
  const { client_id, [sortKey]: sort } = image;
  if (client_id === undefined || sort === undefined) throw new Error('a row without its key');
  const unchanged = unchangedRow(image, [...attributes, 'status', 'status_message']);
  const { applied } = await conditionalUpdateItem(ctx.db, {
    TableName: tableNameOf(ctx, table),
    Key: { client_id, [sortKey]: sort },
    UpdateExpression: 'SET #status = :new_status, #message = :new_message',
    ConditionExpression: unchanged.ConditionExpression,
    ExpressionAttributeNames: {
      ...unchanged.ExpressionAttributeNames,
      '#status': 'status',
      '#message': 'status_message',
    },
    ExpressionAttributeValues: {
      ...unchanged.ExpressionAttributeValues,
      ':new_status': { S: status },
      ':new_message': { S: status_message },
    },
  });
  return applied;
}

/** Returns which of the rows' clients exist. */
export async function clientExistence(
  rows: readonly EditedRow[],
  existingClients: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<(clientId: string) => boolean> {
  const ids = new Set(rows.map(({ client_id }) => String(client_id)).filter((id) => id !== everyClient));
  const existing = await existingClients([...ids]);
  return (clientId) => clientId === everyClient || existing.has(clientId);
}
