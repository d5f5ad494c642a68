/** GET /api/v1/account/usage: what a client sent, and the use of its caps (contract, section 11). */
import { type Operation, parseQuery, requireCaller } from '../operation/operation.ts';
import { usageOfClient } from './read-usage.ts';
import { usageQuery, usageRange } from './usage-query.ts';
import type { UsageReader } from './usage-reader.dynamo.ts';
import type { UsageResponse } from './usage-response.schema.ts';

interface ShowUsageDependencies {
  readonly usage: UsageReader;
  readonly capsOf: (clientId: string, now: Date) => Promise<UsageResponse['caps']>;
  /** The currency of the stage's prices, ISO 4217. */
  readonly currency: string;
}

export function showUsage({ usage, capsOf, currency }: ShowUsageDependencies): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const range = usageRange(parseQuery(usageQuery, request), request.now);
    const [entries, caps] = await Promise.all([
      usageOfClient(usage, clientId, range, currency),
      capsOf(clientId, request.now),
    ]);
    const body: UsageResponse = { currency, usage: entries, caps };
    return { status: 200, body };
  };
}
