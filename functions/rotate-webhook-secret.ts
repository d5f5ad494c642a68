/**
 * POST /api/v1/account/webhook-secret: creates a webhook secret and shows it once. The old secret still signs for 24 hours.
 */
import { randomBytes } from 'node:crypto';
import { rotateOwnWebhookSecret } from '../shared/account/own-account.ts';
import { activityLogFrom } from '../shared/activity/write-activity.dynamo.ts';
import { dynamoClientStore } from '../shared/client/client-store.dynamo.ts';
import { dynamoWebhookSecretStore } from '../shared/client/webhook-secrets.dynamo.ts';
import { routes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const context = contextOf(environmentOf<'rotate-webhook-secret'>());
const { env } = context;

export const handler = httpFunction(
  context,
  routes.rotateWebhookSecret,
  rotateOwnWebhookSecret({
    clients: dynamoClientStore(dynamo(), env.CLIENTS_TABLE),
    webhookSecrets: dynamoWebhookSecretStore(dynamo(), env.CLIENT_SECRETS_TABLE),
    random: randomBytes,
    activityLog: activityLogFrom(env),
    clock: systemClock,
  }),
);
