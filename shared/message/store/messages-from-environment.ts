/** The message store of this deployment, from the environment of the function. */
import { dynamo } from '../../platform/aws/clients.ts';
import type { Environment } from '../../platform/env.ts';
import { dynamoMessageStore } from './message-store.dynamo.ts';
import type { MessageStore } from './message-store.ts';

export const messagesEnvironment = ['MESSAGES_TABLE', 'RETENTION_DAYS'] as const;

export function messagesFrom(env: Environment<(typeof messagesEnvironment)[number]>): MessageStore {
  return dynamoMessageStore(dynamo(), { tableName: env.MESSAGES_TABLE, retentionDays: env.RETENTION_DAYS });
}
