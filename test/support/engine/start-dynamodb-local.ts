/** Starts DynamoDB Local for a whole run of tests that need tables and nothing else of AWS. */
import { startDynamoDbLocal } from './dynamodb-local.ts';
import { announceEngine } from './engine.ts';
import { synthesizeTables } from './synthesize-tables.ts';

declare global {
  var stopDynamoDbLocal: (() => Promise<void>) | undefined;
}

export default async function start(): Promise<void> {
  const engine = await startDynamoDbLocal();
  globalThis.stopDynamoDbLocal = () => engine.stop();
  // The engine processes all calls of a database in one queue. With a shared database, test files would wait for each other.
  announceEngine(engine.config, { isDividedByKey: true });
  process.env.TABLES_UNDER_TEST = JSON.stringify(synthesizeTables());
}
