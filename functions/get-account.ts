/** GET /api/v1/account: what a client sees of itself, and the limits in force for it. */
import { getAccount } from '../shared/account/account.ts';
import { dynamo } from '../shared/aws.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { readEnvironment } from '../shared/env.ts';
import { productionLimits } from '../shared/http/gate.ts';
import { httpFunction } from '../shared/http.ts';
import { routes } from '../shared/routes.ts';

const env = readEnvironment(['CLIENTS_TABLE']);
const clients = dynamoClientStore(dynamo(), env.CLIENTS_TABLE);

export const handler = httpFunction(routes.getAccount, getAccount({ clients, limitsOf: productionLimits() }));
