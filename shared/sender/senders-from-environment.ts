/** Composes the selection of senders from the function's environment. */
import { dynamoRowReader } from '../edited-table/row-editor.dynamo.ts';
import { dynamo } from '../platform/aws/clients.ts';
import { systemClock } from '../platform/clock.ts';
import type { Environment } from '../platform/env.ts';
import { log } from '../platform/log.ts';
import { countMetric } from '../platform/metrics.ts';
import { type SendersOf, senderReader } from './select-sender.ts';

export const sendersEnvironment = ['SENDERS_TABLE', 'STAGE_SMS_SENDER'] as const;

export function sendersFrom(env: Environment<(typeof sendersEnvironment)[number]>): SendersOf {
  return senderReader(
    dynamoRowReader(dynamo(), env.SENDERS_TABLE),
    env.STAGE_SMS_SENDER,
    systemClock,
    (invalid) => {
      log.warn('invalid sender ignored', { ...invalid });
      countMetric('InvalidSender');
    },
  );
}
