/** Whether a read of DynamoDB is strongly consistent. An eventually consistent one costs half. */

/** Eventually consistent reads are for callers that act only on final states. */
export interface ReadOptions {
  readonly consistent: boolean;
}
