/**
 * GET /api/v1/account and /api/v1/account/usage: shows a client its settings, its limits and its usage.
 */
import { getAccount } from '../shared/account/own-account.ts';
import { httpFunctions } from '../shared/http/http-function.ts';
import { capsInForce, capUse } from '../shared/limit/client-caps.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { showUsage } from '../shared/usage/read-usage.ts';
import { dynamoUsageReader } from '../shared/usage/usage-reader.dynamo.ts';

const context = contextOf(environmentOf<'get-account'>());
const { db, env } = context;

export const handler = httpFunctions(context, {
  getAccount: getAccount(context),
  getUsage: showUsage({
    usage: dynamoUsageReader(db, env.MESSAGE_USAGE_TABLE),
    capsOf: async (clientId, now) =>
      capUse(context, { clientId, limits: await capsInForce(context, clientId), now }),
    currency: env.CURRENCY,
  }),
});
