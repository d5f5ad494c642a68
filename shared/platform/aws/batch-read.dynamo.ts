/** Reads many rows of a table by their keys, in as few calls as DynamoDB allows. Rows come in no order. */
import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import { retryRemaining } from '../retry.ts';
import { chunksOf } from '../split-into-chunks.ts';

type Row = Record<string, unknown>;
type Request = NonNullable<BatchGetCommandInput['RequestItems']>[string];

/** What DynamoDB reads in one call. */
const batchSize = 100;

/** Keys that DynamoDB leaves out of its response, because it is throttled or the response is too large, are read again. */
export async function batchRead(
  client: DynamoDBDocumentClient,
  tableName: string,
  keys: readonly Row[],
  options: Omit<Request, 'Keys'> = {},
): Promise<Row[]> {
  const found: Row[] = [];
  const readChunk = async (chunk: readonly Row[]): Promise<readonly Row[]> => {
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [tableName]: { ...options, Keys: [...chunk] } } }),
    );
    found.push(...(Responses?.[tableName] ?? []));
    return UnprocessedKeys?.[tableName]?.Keys ?? [];
  };
  await Promise.all(chunksOf(keys, batchSize).map((chunk) => retryRemaining(chunk, readChunk)));
  return found;
}
