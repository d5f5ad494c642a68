/** Lists the client's messages of every channel, and the messages that the simulated carrier received from its test keys. */
import { dynamoOutbox } from '../shared/carrier/simulator/outbox.dynamo.ts';
import { listTestOutbox } from '../shared/carrier/simulator/test-outbox.ts';
import { httpDependencies } from '../shared/http/guards.ts';
import { httpFunctions } from '../shared/http/http-function.ts';
import { listMessages } from '../shared/message/list-messages.ts';
import { dynamo } from '../shared/platform/aws/clients.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const env = environmentOf<'list-messages'>();

export const handler = httpFunctions(
  {
    listMessages: listMessages(contextOf(env)),
    listTestOutbox: listTestOutbox(dynamoOutbox(dynamo(), env.SIMULATOR_OUTBOX_TABLE, env.RETENTION_DAYS)),
  },
  httpDependencies(env),
);
