/** Everything under /admin/api, for tokens of scope `admin`. */
import { adminApi, adminOperations } from '../shared/admin/admin-api.ts';
import { adminPorts } from '../shared/admin/wire.ts';
import { readEnvironment } from '../shared/env.ts';
import { httpFunction } from '../shared/http.ts';
import { adminRoutes } from '../shared/routes.ts';
import { addressRules, webhookUrlSchema } from '../shared/webhook/webhook-url.ts';

const env = readEnvironment([
  'AGENDA_TABLE',
  'CLIENTS_TABLE',
  'CLIENT_SECRETS_TABLE',
  'API_KEYS_TABLE',
  'LIMIT_OVERRIDES_TABLE',
  'ACTIVITY_LOG_TABLE',
  'MESSAGES_TABLE',
  'WEBHOOK_DELIVERIES_TABLE',
  'FIGURES_TABLE',
  'SMS_CARRIER',
  'WHATSAPP_CARRIER',
  'WEBHOOKS_QUEUE_URL',
  'SLOW_WEBHOOKS_QUEUE_URL',
  'RETENTION_DAYS',
  'WEBHOOK_PORTS',
  'WEBHOOK_ALLOW_HTTP',
  'WEBHOOK_ALLOW_LOOPBACK',
]);
const simulated = env.SMS_CARRIER === 'simulator' || env.WHATSAPP_CARRIER === 'simulator';

const ports = adminPorts({
  tables: {
    agenda: env.AGENDA_TABLE,
    clients: env.CLIENTS_TABLE,
    clientSecrets: env.CLIENT_SECRETS_TABLE,
    apiKeys: env.API_KEYS_TABLE,
    limitOverrides: env.LIMIT_OVERRIDES_TABLE,
    activityLog: env.ACTIVITY_LOG_TABLE,
    messages: env.MESSAGES_TABLE,
    webhookDeliveries: env.WEBHOOK_DELIVERIES_TABLE,
    figures: env.FIGURES_TABLE,
    simulatorOutbox: simulated
      ? readEnvironment(['SIMULATOR_OUTBOX_TABLE']).SIMULATOR_OUTBOX_TABLE
      : undefined,
  },
  webhooksQueueUrl: env.WEBHOOKS_QUEUE_URL,
  slowWebhooksQueueUrl: env.SLOW_WEBHOOKS_QUEUE_URL,
  retentionDays: env.RETENTION_DAYS,
  webhookUrl: webhookUrlSchema(addressRules(env)),
});

export const handler = httpFunction(adminRoutes.adminApi, adminApi(adminOperations(ports)));
