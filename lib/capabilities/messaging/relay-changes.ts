/** The function that reads the stream of the messages table and starts the work that follows from a change. */
import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, FilterCriteria, FilterRule } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { CapabilityProps } from '../grant-uses.ts';
import type { RelayDeadLetters } from './relay-dead-letters.ts';

interface RelayProps extends CapabilityProps {
  readonly lostRecords: RelayDeadLetters;
}

/** Enough for an outage of an hour or more, because Lambda increases the delay between retries up to a minute. */
const relayRetries = 100;

export function createRelayChanges(scope: Construct, props: RelayProps): void {
  const { stage, storage, lostRecords } = props;
  const relay = new GatewayFunction(scope, 'RelayChanges', {
    stage,
    functionName: 'relay-changes',
    timeoutSeconds: 30,
  });
  new EventSourceMapping(scope, 'MessagesStream', {
    ...storage.grantStream(relay, 'messages'),
    batchSize: 100,
    // Excludes deletions by TTL and claims (`sending`), which start no work.
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.or('INSERT', 'MODIFY'),
        dynamodb: { NewImage: { status: { S: FilterRule.notEquals('sending') } } },
      }),
    ],
    // The relay itself sets aside entries that a service refuses permanently. If another record fails at its last retry, its
    // position in the stream goes to a queue, and the scan for missed messages finds its message. A batch fails as a whole, so
    // bisecting isolates a record that cannot be relayed.
    bisectBatchOnError: true,
    retryAttempts: relayRetries,
    maxRecordAge: Duration.hours(20),
    parallelizationFactor: 4,
    onFailure: new SqsDlq(lostRecords.queue),
  });
}
