import { describe } from '@jest/globals';
import { createTables } from '../../support/engine/tables.ts';
import { limiterConformance } from '../../support/rate-limit/limiter-conformance.ts';

describe('the limiter', () =>
  limiterConformance(async () => {
    const tables = await createTables(['rate_counters', 'limit_overrides']);
    return { tables, stop: () => tables.drop() };
  }));
