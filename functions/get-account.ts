/** GET /api/v1/account: what a client sees of itself, and the limits in force for it. */
import { getAccount } from '../shared/account/account.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies, httpEnvironment } from '../shared/http/http-dependencies.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { overridesFrom } from '../shared/http/public-http-dependencies.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { readEnvironment } from '../shared/platform/env.ts';

const env = readEnvironment(httpEnvironment);

export const handler = httpFunction(
  routes.getAccount,
  getAccount({
    clients: dynamoClientStore(dynamo(), env.CLIENTS_TABLE),
    limitsOf: overridesFrom(env).limitsOf,
  }),
  { dependencies: httpDependencies(env) },
);
