/** The function of the admin API, and what it may do. */
import type { Construct } from 'constructs';
import { adminRoutes, requestTimeoutSeconds } from '../../../shared/contract/routes.ts';
import { webhookRuleNames } from '../../../shared/platform/env.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { GatewayQueue } from '../../constructs/gateway-queue.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { Api } from '../api/api.ts';
import type { Storage } from '../storage/storage.ts';
import type { WebhookLanes } from '../webhooks/webhook-lanes.ts';

interface AdminApiProps {
  readonly stage: StageSettings;
  readonly storage: Storage;
  readonly api: Api;
  readonly lanes: WebhookLanes;
  readonly receipts: GatewayQueue;
}

export function createAdminApi(scope: Construct, props: AdminApiProps): void {
  const { stage, storage, api, lanes, receipts } = props;
  const adminApi = new GatewayFunction(scope, 'AdminApi', {
    stage,
    functionName: 'admin-api',
    timeoutSeconds: requestTimeoutSeconds,
    memoryMegabytes: 1024,
    settings: [
      'TOKEN_AUDIENCE',
      'CURRENCY',
      'COUNTRY',
      'ALLOWED_COUNTRIES',
      'STAGE_CAPS',
      'SMS_CARRIER',
      'WHATSAPP_CARRIER',
      ...webhookRuleNames,
    ],
  });
  api.grantRequestGuards(adminApi, adminRoutes.adminApi);
  storage.grant(adminApi, 'clients', 'GetItem', 'PutItem', 'UpdateItem', 'Scan');
  // A rotation reads the current webhook secret and keeps it. No response contains a stored secret.
  storage.grant(adminApi, 'client-secrets', 'GetItem', 'UpdateItem');
  storage.grant(adminApi, 'api-keys', 'GetItem', 'PutItem', 'UpdateItem');
  storage.grantIndex(adminApi, 'api-keys', 'by-client');
  storage.grant(adminApi, 'limit-overrides', 'Query', 'Scan', 'UpdateItem', 'DeleteItem');
  storage.grant(adminApi, 'senders', 'Query', 'Scan', 'UpdateItem', 'DeleteItem');
  storage.grant(adminApi, 'rate-counters', 'GetItem', 'BatchGetItem');
  storage.grant(adminApi, 'activity-log', 'Query', 'PutItem');
  storage.grantIndex(adminApi, 'activity-log', 'by-kind');
  storage.grantIndex(adminApi, 'activity-log', 'by-client');
  storage.grant(adminApi, 'messages', 'GetItem', 'BatchGetItem');
  for (const index of ['by-client', 'by-reference', 'by-recipient']) {
    storage.grantIndex(adminApi, 'messages', index);
  }
  storage.grant(adminApi, 'batches', 'GetItem');
  storage.grant(adminApi, 'one-time-passwords', 'GetItem');
  storage.grant(adminApi, 'otp-holds', 'GetItem', 'PutItem', 'Scan');
  storage.grant(adminApi, 'webhook-endpoints', 'GetItem', 'Query');
  storage.grant(adminApi, 'webhook-deliveries', 'GetItem', 'BatchGetItem', 'PutItem');
  storage.grant(adminApi, 'due-items', 'Query', 'PutItem');
  storage.grant(adminApi, 'suppressions', 'GetItem', 'Query', 'UpdateItem');
  storage.grant(adminApi, 'whatsapp-windows', 'GetItem');
  storage.grant(adminApi, 'usage', 'BatchGetItem');
  storage.grant(adminApi, 'message-usage', 'BatchGetItem', 'Query');
  if (storage.has('simulator-outbox')) {
    storage.grant(adminApi, 'simulator-outbox', 'Query');
    storage.grantIndex(adminApi, 'simulator-outbox', 'by-day');
    // An administrator can make up messages of the simulated carrier.
    receipts.grantSend(adminApi);
  }
  lanes.grantEnqueue(adminApi);
  api.add(adminApi);
}
