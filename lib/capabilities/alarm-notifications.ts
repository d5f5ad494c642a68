/** Sends every alarm of the stack to an e-mail address. Each capability creates its own alarms. */
import { Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { acknowledge } from '../constructs/template-rules.ts';

export class AlarmNotifications extends Construct {
  /** The construct finds the alarms that exist, so it must be created after them. */
  constructor(scope: Construct, id: string, address: string) {
    super(scope, id);
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(address));
    // The topic's TLS policy replaces the default policy, which permits alarms of the account to publish.
    topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    acknowledge(topic, {
      'Serverless-SNSRedrivePolicy': 'A dead-letter queue does not help an e-mail that cannot be delivered.',
    });
    const alarms = scope.node.findAll().filter((construct) => construct instanceof Alarm);
    for (const alarm of alarms) alarm.addAlarmAction(new SnsAction(topic));
  }
}
