/** Reads one row, or all rows of a query or a scan. */
import {
  type DynamoDBDocumentClient,
  GetCommand,
  type GetCommandInput,
  paginateQuery,
  paginateScan,
  type QueryCommandInput,
  type ScanCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';

/** Undefined where there is no such row. @throws ZodError where the row does not have this form */
export async function readRow<Schema extends z.ZodMiniType>(
  client: DynamoDBDocumentClient,
  schema: Schema,
  input: GetCommandInput,
): Promise<z.output<Schema> | undefined> {
  const { Item } = await client.send(new GetCommand(input));
  return Item === undefined ? undefined : schema.parse(Item);
}

/** The rows that a query finds, page by page, each page when it is needed. */
export async function* queryRows(client: DynamoDBDocumentClient, input: QueryCommandInput) {
  for await (const { Items = [] } of paginateQuery({ client }, input)) yield* Items;
}

/** The rows that a scan finds, page by page, each page when it is needed. */
export async function* scanRows(client: DynamoDBDocumentClient, input: ScanCommandInput) {
  for await (const { Items = [] } of paginateScan({ client }, input)) yield* Items;
}
