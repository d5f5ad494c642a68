/**
 * POST /api/v1/account/webhook-secret: creates a webhook secret and shows it once. The old secret still signs for 24 hours.
 */
import { randomBytes } from 'node:crypto';
import { rotateOwnWebhookSecret } from '../shared/account/own-account.ts';
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const context = contextOf(environmentOf<'rotate-webhook-secret'>());

export const handler = httpFunction(
  context,
  routes.rotateWebhookSecret,
  rotateOwnWebhookSecret({ ...context, random: randomBytes }),
);
