/** Serves everything under /admin/api, for tokens of scope `admin`. */
import { adminDependencies, adminEnvironment } from '../shared/admin/admin-dependencies-on-aws.ts';
import { adminApi, adminOperations } from '../shared/admin/http/admin-api.ts';
import { adminRoutes } from '../shared/contract/routes.ts';
import { httpDependencies, httpEnvironment } from '../shared/http/client-guards.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { readEnvironment } from '../shared/platform/env.ts';

const env = readEnvironment([...httpEnvironment, ...adminEnvironment, 'SMS_CARRIER', 'WHATSAPP_CARRIER']);
const simulated = env.SMS_CARRIER === 'simulator' || env.WHATSAPP_CARRIER === 'simulator';
const simulator = simulated ? readEnvironment(['SIMULATOR_OUTBOX_TABLE', 'RECEIPTS_QUEUE_URL']) : undefined;

export const handler = httpFunction(
  adminRoutes.adminApi,
  adminApi(
    adminOperations(
      adminDependencies(
        env,
        simulator && {
          outboxTable: simulator.SIMULATOR_OUTBOX_TABLE,
          receiptsQueueUrl: simulator.RECEIPTS_QUEUE_URL,
        },
      ),
    ),
  ),
  { dependencies: httpDependencies(env) },
);
