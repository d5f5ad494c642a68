/**
 * GET /api/v1/account and /api/v1/account/usage: shows a client its settings, its limits and its usage.
 */
import { getAccount } from '../shared/account/own-account.ts';
import { httpFunctions } from '../shared/http/http-function.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { showUsage } from '../shared/usage/read-usage.ts';

const context = contextOf(environmentOf<'get-account'>());

export const handler = httpFunctions(context, {
  getAccount: getAccount(context),
  getUsage: showUsage(context),
});
