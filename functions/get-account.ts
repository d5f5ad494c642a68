/**
 * GET /api/v1/account and /api/v1/account/usage: shows a client its settings, its limits and its usage.
 */
import { getAccount } from '../shared/account/account.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { httpDependencies } from '../shared/http/guards.ts';
import { httpFunctions } from '../shared/http/http-function.ts';
import { capLimits } from '../shared/limit/cap-limits.ts';
import { countersIn } from '../shared/limit/counters.dynamo.ts';
import { overridesFrom } from '../shared/limit/read-overrides.ts';
import { capUse } from '../shared/limit/take-from-caps.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { showUsage } from '../shared/usage/read-usage.ts';
import { dynamoUsageReader } from '../shared/usage/usage-reader.dynamo.ts';

const env = environmentOf<'get-account'>();
const overrides = overridesFrom(env);
const stageCaps = env.STAGE_CAPS;
const caps = {
  counters: countersIn(dynamo(), env.RATE_COUNTERS_TABLE),
  limitsOf: async (clientId: string) => capLimits(await overrides.capsOf(clientId), stageCaps),
};

export const handler = httpFunctions(
  {
    getAccount: getAccount({
      clients: dynamoClientStore(dynamo(), env.CLIENTS_TABLE),
      limitsOf: overrides.limitsOf,
    }),
    getUsage: showUsage({
      usage: dynamoUsageReader(dynamo(), env.MESSAGE_USAGE_TABLE),
      capsOf: (clientId, now) => capUse(caps, clientId, now),
      currency: env.CURRENCY,
    }),
  },
  httpDependencies(env),
);
