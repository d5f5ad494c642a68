import { describe } from '@jest/globals';
import { startDynamoDbLocal } from '../support/dynamodb-local.ts';
import { createTables } from '../support/tables.ts';
import { limiterConformance } from './limiter-conformance.ts';

describe("the limiter on Amazon's DynamoDB Local", () =>
  limiterConformance(async () => {
    const engine = await startDynamoDbLocal();
    const tables = await createTables(['rate_counters', 'limit_overrides'], engine.newClient());
    return {
      tables,
      async stop() {
        await tables.drop();
        await engine.stop();
      },
    };
  }));
