/** Lists the client's messages of every channel, and the messages that the simulated carrier received from its test keys. */
import { dynamoOutbox } from '../shared/carrier/simulator/outbox.dynamo.ts';
import { listTestOutbox } from '../shared/carrier/simulator/test-outbox.ts';
import { httpFunctions } from '../shared/http/http-function.ts';
import { listMessages } from '../shared/message/list-own-messages.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';

const context = contextOf(environmentOf<'list-messages'>());
const { db, env } = context;

export const handler = httpFunctions(context, {
  listMessages: listMessages(context),
  listTestOutbox: listTestOutbox(dynamoOutbox(db, env.SIMULATOR_OUTBOX_TABLE, env.RETENTION_DAYS)),
});
