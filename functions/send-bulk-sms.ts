/** POST /api/v1/sms/bulk: stores an SMS for each valid row, then responds. */
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies } from '../shared/http/guards.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { senderPaces } from '../shared/message/dispatch/sender-pace.dynamo.ts';
import { dynamoBatchStore } from '../shared/message/send/batch-store.dynamo.ts';
import { sendBulkSms } from '../shared/message/send/send-bulk-sms.ts';
import { sendDependencies } from '../shared/message/send/send-one.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { systemClock } from '../shared/platform/clock.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { webhookUrlFrom } from '../shared/webhook/address-guard.ts';

const env = environmentOf<'send-bulk-sms'>();

export const handler = httpFunction(
  routes.sendBulkSms,
  sendBulkSms({
    ...sendDependencies(env, webhookUrlFrom(env)),
    batches: dynamoBatchStore(dynamo(), { tableName: env.BATCHES_TABLE, retentionDays: env.RETENTION_DAYS }),
    pace: senderPaces(dynamo(), env.SENDER_PACE_TABLE, systemClock),
  }),
  { dependencies: httpDependencies(env) },
);
