/** Whom alarms notify: an address for those that page and one for the others, and existing topics. */
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
import type { StageSettings } from '../stages/stage-settings.ts';

export class AlarmNotifications extends Construct {
  constructor(scope: Construct, id: string, stage: StageSettings, alarms: readonly GatewayAlarm[]) {
    super(scope, id);
    const mail = this.emailTopics('Topic', stage.alarmEmail, stage);
    const page = stage.pageEmail === undefined ? mail : this.emailTopics('Pages', stage.pageEmail, stage);
    const topics: Readonly<Record<Urgency, readonly ITopic[]>> = {
      page: [...page, ...this.existing('page', stage)],
      mail: [...mail, ...this.existing('mail', stage)],
    };
    for (const alarm of alarms)
      for (const topic of topics[runbooks[alarm.runbook]]) alarm.addAlarmAction(new SnsAction(topic));
  }

  private emailTopics(id: string, address: string | undefined, stage: StageSettings): Topic[] {
    if (address === undefined) return [];
    const topic = new Topic(this, id, { enforceSSL: true, ...topicEncryption(this, stage) });
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
    return [topic];
  }

  private existing(urgency: Urgency, { alarmTopics }: StageSettings): ITopic[] {
    const arn = alarmTopics?.[urgency];
    return arn === undefined ? [] : [Topic.fromTopicArn(this, urgency, parsableArn(arn))];
  }
}
