/** Administration: one function for the admin API, and one for the dashboard's files. */
import { Construct } from 'constructs';
import { adminRoutes, requestTimeoutSeconds } from '../../shared/contract/routes.ts';
import { webhookRuleNames } from '../../shared/platform/env.ts';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import type { GatewayQueue } from '../constructs/gateway-queue.ts';
import type { StageSettings } from '../stages/stage-settings.ts';
import type { Api } from './api/api.ts';
import type { Storage } from './storage/storage.ts';
import type { Webhooks } from './webhooks.ts';

interface AdminProps {
  readonly stage: StageSettings;
  readonly storage: Storage;
  readonly api: Api;
  readonly webhooks: Webhooks;
  readonly receipts: GatewayQueue;
}

export class Admin extends Construct {
  constructor(scope: Construct, id: string, props: AdminProps) {
    super(scope, id);
    this.createAdminApi(props);
    this.createDashboard(props);
  }

  private createAdminApi({ stage, storage, api, webhooks, receipts }: AdminProps): void {
    const adminApi = new GatewayFunction(this, 'AdminApi', {
      stage,
      functionName: 'admin-api',
      timeoutSeconds: requestTimeoutSeconds,
      memoryMegabytes: 1024,
      settings: [
        'TOKEN_AUDIENCE',
        'RETENTION_DAYS',
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
      // Messages that an administrator makes up for the simulated carrier.
      receipts.grantSend(adminApi);
    }
    webhooks.grantEnqueue(adminApi);
    api.add(adminApi);
  }

  /** Serves files only: nothing of the gateway is shown before an administrator signs in. */
  private createDashboard({ stage, api }: AdminProps): void {
    const dashboard = new GatewayFunction(this, 'AdminDashboard', {
      stage,
      functionName: 'admin-dashboard',
      timeoutSeconds: 10,
      memoryMegabytes: 512,
    });
    api.grantRequestGuards(dashboard, adminRoutes.adminDashboard);
    api.add(dashboard);
  }
}
