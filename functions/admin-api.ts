/** Everything under /admin/api, for tokens of scope `admin`. */

import { adminDependencies } from '../shared/admin/admin-dependencies-on-aws.ts';
import { adminApi, adminOperations } from '../shared/admin/http/admin-api.ts';
import { adminRoutes } from '../shared/contract/routes.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { readEnvironment, webhookRuleNames } from '../shared/platform/env.ts';
import { addressRules, webhookUrlSchema } from '../shared/webhook/post/webhook-url.ts';

const env = readEnvironment([
  'DUE_ITEMS_TABLE',
  'CLIENTS_TABLE',
  'CLIENT_SECRETS_TABLE',
  'API_KEYS_TABLE',
  'LIMIT_OVERRIDES_TABLE',
  'ACTIVITY_LOG_TABLE',
  'MESSAGES_TABLE',
  'WEBHOOK_DELIVERIES_TABLE',
  'USAGE_TABLE',
  'SMS_CARRIER',
  'WHATSAPP_CARRIER',
  'WEBHOOKS_QUEUE_URL',
  'SLOW_WEBHOOKS_QUEUE_URL',
  'RETENTION_DAYS',
  ...webhookRuleNames,
]);
const simulated = env.SMS_CARRIER === 'simulator' || env.WHATSAPP_CARRIER === 'simulator';

const dependencies = adminDependencies({
  tables: {
    due_items: env.DUE_ITEMS_TABLE,
    clients: env.CLIENTS_TABLE,
    clientSecrets: env.CLIENT_SECRETS_TABLE,
    apiKeys: env.API_KEYS_TABLE,
    limitOverrides: env.LIMIT_OVERRIDES_TABLE,
    activityLog: env.ACTIVITY_LOG_TABLE,
    messages: env.MESSAGES_TABLE,
    webhookDeliveries: env.WEBHOOK_DELIVERIES_TABLE,
    usage: env.USAGE_TABLE,
    simulatorOutbox: simulated
      ? readEnvironment(['SIMULATOR_OUTBOX_TABLE']).SIMULATOR_OUTBOX_TABLE
      : undefined,
  },
  webhooksQueueUrl: env.WEBHOOKS_QUEUE_URL,
  slowWebhooksQueueUrl: env.SLOW_WEBHOOKS_QUEUE_URL,
  retentionDays: env.RETENTION_DAYS,
  webhookUrl: webhookUrlSchema(addressRules(env)),
});

export const handler = httpFunction(adminRoutes.adminApi, adminApi(adminOperations(dependencies)));
