/** GET /api/v1/account and /api/v1/account/usage: what a client sees of itself, the limits in force for it, and its usage. */
import { getAccount } from '../shared/account/account.ts';
import { dynamoCapCounter } from '../shared/cap/cap-counter.dynamo.ts';
import { capLimits } from '../shared/cap/cap-limits.ts';
import { capUse } from '../shared/cap/cap-use.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies, httpEnvironment } from '../shared/http/http-dependencies.ts';
import { type HttpFunction, httpFunction } from '../shared/http/http-function.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { overridesFrom } from '../shared/rate-limit/overrides-from-environment.ts';
import { showUsage } from '../shared/usage/show-usage.ts';
import { dynamoUsageReader } from '../shared/usage/usage-reader.dynamo.ts';

const env = readEnvironment([...httpEnvironment, 'MESSAGE_USAGE_TABLE', 'CURRENCY', 'STAGE_CAPS']);
const dependencies = httpDependencies(env);
const overrides = overridesFrom(env);
const caps = {
  counter: dynamoCapCounter(dynamo(), env.RATE_COUNTERS_TABLE),
  limitsOf: async (clientId: string) => capLimits(await overrides.capsOf(clientId), env.STAGE_CAPS),
};

const account = httpFunction(
  routes.getAccount,
  getAccount({
    clients: dynamoClientStore(dynamo(), env.CLIENTS_TABLE),
    limitsOf: overrides.limitsOf,
  }),
  { dependencies },
);
const usage = httpFunction(
  routes.getUsage,
  showUsage({
    usage: dynamoUsageReader(dynamo(), env.MESSAGE_USAGE_TABLE),
    capsOf: (clientId, now) => capUse(caps, clientId, now),
    currency: env.CURRENCY,
  }),
  { dependencies },
);

export const handler: HttpFunction = (event, context) =>
  (event.resource === routes.getUsage.path ? usage : account)(event, context);
