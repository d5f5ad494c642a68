/** The function that reads the stream of the messages table and starts the follow-up work of each change. */
import { EventSourceMapping, FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { CapabilityProps } from '../grant-uses.ts';
import type { RelayDeadLetters } from './relay-dead-letters.ts';

export function createRelayChanges(
  scope: Construct,
  { stage, storage }: CapabilityProps,
  deadLetters: RelayDeadLetters,
): void {
  const relay = new GatewayFunction(scope, 'RelayChanges', {
    stage,
    functionName: 'relay-changes',
    timeoutSeconds: 30,
  });
  const mapping = new EventSourceMapping(scope, 'MessagesStream', {
    ...storage.grantStream(relay, 'messages'),
    batchSize: 100,
    // Excludes deletions by TTL and claims (`sending`), which start no work.
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.or('INSERT', 'MODIFY'),
        dynamodb: { NewImage: { status: { S: FilterRule.notEquals('sending') } } },
      }),
    ],
    // The relay itself sets aside a record that fails for a minute, so Lambda may retry a batch until the stream drops it.
    parallelizationFactor: 4,
  });
  acknowledge(mapping, {
    'Serverless-LambdaEventSourceMappingDestination':
      'The relay itself sets aside records that fail, and an alarm goes off if a record is older than an hour.',
  });
  deadLetters.feed(relay);
}
