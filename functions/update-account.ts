/** PATCH /api/v1/account: sets or removes the client's webhook URL. */
import { updateAccount } from '../shared/account/account.ts';
import { dynamoActivityLog } from '../shared/activity/activity-log.dynamo.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { productionLimits } from '../shared/http/request-guards.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { readEnvironment } from '../shared/platform/env.ts';
import { webhookUrlFromEnvironment } from '../shared/webhook/post/webhook-url.ts';

const env = readEnvironment(['CLIENTS_TABLE', 'ACTIVITY_LOG_TABLE', 'RETENTION_DAYS']);
const clients = dynamoClientStore(dynamo(), env.CLIENTS_TABLE);
const activity = dynamoActivityLog(dynamo(), env.ACTIVITY_LOG_TABLE, env.RETENTION_DAYS);

export const handler = httpFunction(
  routes.updateAccount,
  updateAccount(
    { clients, limitsOf: productionLimits(), activity, clock: systemClock },
    webhookUrlFromEnvironment(),
  ),
);
