/**
 * Reads the stream of the messages table and starts the work that follows from each change. Also relays records that were
 * set aside. A batch of the stream succeeds or fails as a whole. A repetition is safe.
 */
import type { DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { accountUrlOf } from '../shared/client/client-store.dynamo.ts';
import { contextOf } from '../shared/platform/context.ts';
import { environmentOf } from '../shared/platform/env.ts';
import { type RelayContext, relay, relayAgain } from '../shared/relay/relay.ts';

const base = contextOf(environmentOf<'relay-changes'>());
const { log } = base;
const context: RelayContext = {
  ...base,
  accountUrlOf: (clientId) => accountUrlOf(base, clientId),
};

export async function handler(event: DynamoDBStreamEvent | SQSEvent) {
  const { Records: records } = event;
  if (isOfQueue(records)) return relayAgain(context, records);
  log.info('relayed', { records: records.length, ...(await relay(context, records)) });
  return undefined;
}

function isOfQueue(records: (DynamoDBStreamEvent | SQSEvent)['Records']): records is SQSEvent['Records'] {
  return records[0] !== undefined && 'body' in records[0];
}
