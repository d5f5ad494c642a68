/** PATCH /api/v1/account: sets or removes the client's default webhook URL. */
import { updateAccount } from '../shared/account/account.ts';
import { activityLogFrom } from '../shared/activity/write-activity.dynamo.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies } from '../shared/http/guards.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { overridesFrom } from '../shared/limit/read-overrides.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';

const env = environmentOf<'update-account'>();
const dependencies = {
  clients: dynamoClientStore(dynamo(), env.CLIENTS_TABLE),
  limitsOf: overridesFrom(env).limitsOf,
  activityLog: activityLogFrom(env),
  clock: systemClock,
};

export const handler = httpFunction(routes.updateAccount, updateAccount(dependencies, webhookUrlFrom(env)), {
  dependencies: httpDependencies(env),
});
