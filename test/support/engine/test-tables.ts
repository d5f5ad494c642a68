/** Private copies of the stack's tables, on an engine or in memory. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { TableName } from '../../../shared/contract/tables.ts';

type SnakeCase<Text extends string> = Text extends `${infer Word}-${infer Rest}`
  ? `${Word}_${SnakeCase<Rest>}`
  : Text;

/** As the connection names a table: `limit_overrides`. */
export type ConnectionName = SnakeCase<TableName>;

export interface TestTables {
  readonly dynamo: DynamoDBDocumentClient;
  /** Physical names by the names that the connection uses: `names.limit_overrides`. */
  readonly names: Readonly<Record<ConnectionName, string>>;
  /** Removes the tables and closes the client. */
  drop(): Promise<void>;
}
