/**
 * Whom alarms notify: an e-mail address, and existing topics by severity. Each alarm does, or one for each severity and area.
 * Each capability creates its own alarms.
 */
import { Stack } from 'aws-cdk-lib';
import { type AlarmBase, AlarmRule, CompositeAlarm, type IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { runbooks, type Severity } from '../constructs/alarm.ts';
import { alarmsIn } from '../constructs/burn-rate-alarm.ts';
import { topicEncryption } from '../constructs/encryption.ts';
import { parsableArn } from '../constructs/parsable-arn.ts';
import { acknowledge } from '../constructs/template-rules.ts';
import type { StageSettings } from '../stages/stage-settings.ts';

/** An alarm that notifies. */
interface Notifying {
  readonly alarm: AlarmBase;
  readonly severity: Severity;
}

export class AlarmNotifications extends Construct {
  /** The alarms that notify. */
  readonly alarms: readonly AlarmBase[];

  /** The construct finds the alarms that exist, so it must be created after them. */
  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    const each = alarmsIn(scope);
    const notifying: readonly Notifying[] = stage.compositeAlarms
      ? this.composites(each, stage)
      : each.map((alarm) => ({ alarm, severity: runbooks[alarm.runbook].severity }));
    const byEmail = stage.alarmEmail === undefined ? [] : [this.emailTopic(stage.alarmEmail, stage)];
    const { critical, warning } = stage.alarmTopics ?? {};
    const existing = {
      critical: this.existing('critical', critical),
      warning: this.existing('warning', warning),
    };
    for (const { alarm, severity } of notifying) {
      for (const topic of [...byEmail, ...existing[severity]]) {
        alarm.addAlarmAction(new SnsAction(topic));
        if (stage.alarmOkActions) alarm.addOkAction(new SnsAction(topic));
      }
    }
    this.alarms = notifying.map(({ alarm }) => alarm);
  }

  /** One alarm for each severity and area: of a fault that sets off many alarms, a person hears a few times. */
  private composites(alarms: ReturnType<typeof alarmsIn>, { stackName }: StageSettings): Notifying[] {
    const nameOf = ({ runbook }: (typeof alarms)[number]): string =>
      `${runbooks[runbook].severity}-${runbooks[runbook].area}`;
    return Array.from(new Set(alarms.map(nameOf)), (name) => {
      const some = alarms.filter((each) => nameOf(each) === name);
      const severity: Severity = name.startsWith('critical') ? 'critical' : 'warning';
      const alarm = new CompositeAlarm(this, name, {
        compositeAlarmName: `${stackName}-${name}`,
        alarmDescription: `${severity}: one of ${some.length} alarms, whose descriptions link to their runbooks.`,
        alarmRule: AlarmRule.anyOf(...(some as readonly IAlarm[])),
      });
      return { alarm, severity };
    });
  }

  private emailTopic(address: string, stage: StageSettings): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true, ...topicEncryption(this, stage) });
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
    return topic;
  }

  private existing(severity: Severity, arn: string | undefined): ITopic[] {
    return arn === undefined ? [] : [Topic.fromTopicArn(this, severity, parsableArn(arn))];
  }
}
