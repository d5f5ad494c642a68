/** The messages of this deployment, as a function's environment names their table. */
import { dynamo } from '../../platform/aws/clients.ts';
import { readEnvironment } from '../../platform/env.ts';
import { dynamoMessageStore } from './message-store.dynamo.ts';
import type { MessageStore } from './message-store.ts';

export function messagesFromEnvironment(): MessageStore {
  const { MESSAGES_TABLE, RETENTION_DAYS } = readEnvironment(['MESSAGES_TABLE', 'RETENTION_DAYS']);
  return dynamoMessageStore(dynamo(), { tableName: MESSAGES_TABLE, retentionDays: RETENTION_DAYS });
}
