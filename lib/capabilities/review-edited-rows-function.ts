/**
 * The function that writes feedback into the tables that administrators edit, and their changes into the activity log. It
 * reads these tables' streams, and also runs every minute.
 */
import { Duration } from 'aws-cdk-lib';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { GatewayFunction } from '../constructs/gateway-function.ts';
import type { CapabilityProps } from './grant-uses.ts';

export class ReviewEditedRows extends Construct {
  constructor(
    scope: Construct,
    id: string,
    {
      stage,
      storage,
      schedules,
      deadLetters,
    }: CapabilityProps & {
      readonly deadLetters: Queue;
    },
  ) {
    super(scope, id);
    const review = new GatewayFunction(this, 'ReviewEditedRows', {
      stage,
      functionName: 'review-edited-rows',
      isTraced: false,
      timeoutSeconds: 50,
    });
    const streams = { LimitsStream: 'limit-overrides', SendersStream: 'senders' } as const;
    for (const [id, table] of Object.entries(streams)) {
      new EventSourceMapping(this, id, {
        ...storage.grantStream(review, table),
        // The stream has no filter, because the code recognizes the gateway's own writes (shared/edited-table).
        batchSize: 100,
        bisectBatchOnError: true,
        retryAttempts: 100,
        maxRecordAge: Duration.hours(20),
        onFailure: new SqsDlq(deadLetters),
      });
    }
    schedules.everyMinute(review);
  }
}
