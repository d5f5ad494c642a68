/** The function that starts whatever follows from a change of a message, from the stream of their table. */
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

/** Enough for an outage of an hour or more: Lambda increases the delay between retries up to a minute. */
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
    // A deletion (by TTL) and the gateway's claim of a message (`sending`) have no consequences.
    filters: [
      FilterCriteria.filter({
        eventName: FilterRule.or('INSERT', 'MODIFY'),
        dynamodb: { NewImage: { status: { S: FilterRule.notEquals('sending') } } },
      }),
    ],
    // The relay itself sets aside entries that a service refuses permanently. If another record fails until its last
    // retry, a queue gets its position in the stream, and the scan for missed messages finds what it was about. A batch fails as
    // a whole, so bisecting isolates a record that cannot be relayed.
    bisectBatchOnError: true,
    retryAttempts: relayRetries,
    maxRecordAge: Duration.hours(20),
    parallelizationFactor: 4,
    onFailure: new SqsDlq(lostRecords.queue),
  });
}
