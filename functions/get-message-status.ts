/** GET /api/v1/sms/status/{message_id}: shows the status of one of the client's messages or batches. */
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies } from '../shared/http/guards.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { dynamoBatchStore } from '../shared/message/send/batch-store.dynamo.ts';
import { getStatus } from '../shared/message/status-and-cancel.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const env = environmentOf<'get-message-status'>();

export const handler = httpFunction(
  routes.getMessageStatus,
  getStatus(
    contextOf(env),
    dynamoBatchStore(dynamo(), { tableName: env.BATCHES_TABLE, retentionDays: env.RETENTION_DAYS }),
  ),
  { dependencies: httpDependencies(env) },
);
