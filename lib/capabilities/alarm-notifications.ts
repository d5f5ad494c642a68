/** Where alarms are sent: an e-mail address or an existing topic, for urgent and for other alarms. */
import { Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { type GatewayAlarm, runbooks, type Urgency } from '../constructs/alarm.ts';
import { topicEncryption } from '../constructs/encryption.ts';
import { parsableArn } from '../constructs/parsable-arn.ts';
import { acknowledge } from '../constructs/template-rules.ts';
import { isTopic } from '../stages/aws-names.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

export class AlarmNotifications extends Construct {
  constructor(scope: Construct, id: string, stage: StageSettings, alarms: readonly GatewayAlarm[]) {
    super(scope, id);
    const { mail, page } = stage.alarms || {};
    const mails = this.topics('mail', mail, stage);
    const topics: Readonly<Record<Urgency, readonly ITopic[]>> = {
      mail: mails,
      page: page === undefined ? mails : this.topics('page', page, stage),
    };
    for (const alarm of alarms)
      for (const topic of topics[runbooks[alarm.runbook]]) alarm.addAlarmAction(new SnsAction(topic));
  }

  private topics(urgency: Urgency, address: string | undefined, stage: StageSettings): ITopic[] {
    if (address === undefined) return [];
    if (isTopic(address)) return [Topic.fromTopicArn(this, urgency, parsableArn(address))];
    const topic = new Topic(this, urgency === 'mail' ? 'Topic' : 'Pages', {
      enforceSSL: true,
      ...topicEncryption(this, stage),
    });
    topic.addSubscription(new EmailSubscription(address));
    // The topic's policy requires TLS and replaces the default policy, so the account's alarms need this permission to
    // publish.
    topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    acknowledge(topic, {
      'Serverless-SNSRedrivePolicy': 'A dead-letter queue does not help an e-mail that cannot be delivered.',
    });
    return [topic];
  }
}
