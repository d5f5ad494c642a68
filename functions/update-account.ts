/** PATCH /api/v1/account: sets or removes the client's webhook URL. */
import { updateAccount } from '../shared/account/account.ts';
import { dynamo } from '../shared/aws.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { readEnvironment } from '../shared/env.ts';
import { productionLimits } from '../shared/http/gate.ts';
import { httpFunction } from '../shared/http.ts';
import { routes } from '../shared/routes.ts';
import { webhookUrlFromEnvironment } from '../shared/webhook/webhook-url.ts';

const env = readEnvironment(['CLIENTS_TABLE']);
const clients = dynamoClientStore(dynamo(), env.CLIENTS_TABLE);

export const handler = httpFunction(
  routes.updateAccount,
  updateAccount({ clients, limitsOf: productionLimits() }, webhookUrlFromEnvironment()),
);
