/** The fields of DynamoDB's requests. */
import type { Item } from './attribute-values.ts';
import type { Placeholders } from './expressions.ts';

export interface Input extends Placeholders {
  readonly TableName: string;
  readonly Key: Item;
  readonly Item: Item;
  readonly IndexName?: string;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly FilterExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ConsistentRead?: boolean;
  readonly ScanIndexForward?: boolean;
  readonly Limit?: number;
  readonly ExclusiveStartKey?: Item;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
}
