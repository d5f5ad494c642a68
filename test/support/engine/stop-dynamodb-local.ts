/** Stops what start-dynamodb-local.ts started. */
export default async function stop(): Promise<void> {
  await globalThis.stopDynamoDbLocal?.();
}
