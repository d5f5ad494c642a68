/** PATCH /api/v1/account: sets or removes the client's default webhook URL. */
import { updateAccount } from '../shared/account/own-account.ts';
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';

const context = contextOf(environmentOf<'update-account'>());

export const handler = httpFunction(
  context,
  routes.updateAccount,
  updateAccount(context, webhookUrlFrom(context.env)),
);
