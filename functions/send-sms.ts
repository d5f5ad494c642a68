/** POST /api/v1/sms/send: stores one SMS, and answers when it is stored. */
import { routes } from '../shared/contract/routes.ts';
import { httpDependencies } from '../shared/http/http-dependencies.ts';
import { httpFunction } from '../shared/http/http-function.ts';
import { sendDependencies, sendEnvironment } from '../shared/http/send-dependencies.ts';
import { sendSms } from '../shared/message/send/send-sms.ts';
import { readEnvironment } from '../shared/platform/env.ts';

const env = readEnvironment(sendEnvironment);

export const handler = httpFunction(routes.sendSms, sendSms(sendDependencies(env)), {
  dependencies: httpDependencies(env),
});
