/**
 * The real carriers: permissions to send, and the topic for receipts. Operators register numbers, sender ids and the
 * WhatsApp account by hand.
 */

import { ArnFormat, CfnOutput, Stack } from 'aws-cdk-lib';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnConfigurationSet } from 'aws-cdk-lib/aws-smsvoice';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct, type IDependable } from 'constructs';
import { carriersIn } from '../../../shared/contract/channels.ts';
import { reportedEventTypes } from '../../../shared/contract/sms-event-types.ts';
import { allow } from '../../constructs/allow.ts';
import { topicEncryption } from '../../constructs/encryption.ts';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { GatewayQueue } from '../../constructs/gateway-queue.ts';
import { acknowledgeWildcard } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

const senderKinds = ['phone-number', 'sender-id', 'pool'];

export class Carriers extends Construct {
  readonly topic: Topic;

  constructor(
    scope: Construct,
    id: string,
    props: {
      readonly stage: StageSettings;
      readonly receipts: GatewayQueue;
      readonly dispatch: GatewayFunction;
    },
  ) {
    super(scope, id);
    // The topic for receipts and inbound messages of SMS and WhatsApp. In the console, an operator selects it as the event
    // destination of the WhatsApp account and as the two-way channel of a phone number. Its name is fixed, so that these
    // settings still work after the stage is destroyed and deployed again.
    this.topic = new Topic(this, 'Receipts', {
      topicName: `${props.stage.stackName}-receipts`,
      enforceSSL: true,
      ...topicEncryption(this, props.stage),
    });
    this.topic.addSubscription(
      new SqsSubscription(props.receipts.queue, { deadLetterQueue: props.receipts.deadLetters }),
    );
    new CfnOutput(this, 'ReceiptsTopic', { key: 'ReceiptsTopicArn', value: this.topic.topicArn });
    if (carriersIn(props.stage.smsCarrier).includes('aws')) this.addSms(props.stage, props.dispatch);
    if (carriersIn(props.stage.whatsappCarrier).includes('aws')) this.addWhatsApp(props.dispatch);
  }

  private addSms(stage: StageSettings, dispatch: GatewayFunction): void {
    for (const kind of senderKinds) {
      acknowledgeWildcard(
        dispatch.executionRole,
        'sms-voice',
        `${kind}/*`,
        'Senders are registered by a person after the deploy; a client or a row of senders names one.',
      );
    }
    const name = stage.stackName;
    const published = this.grantPublish('sms-voice.amazonaws.com', {
      ArnLike: {
        'aws:SourceArn': [
          this.arn('sms-voice', 'configuration-set', name),
          // If this topic is the two-way channel of a number or pool, AWS publishes its inbound messages here.
          this.arn('sms-voice', 'phone-number', '*'),
          this.arn('sms-voice', 'pool', '*'),
        ],
      },
    });
    const configurationSet = new CfnConfigurationSet(this, 'SmsConfigurationSet', {
      configurationSetName: name,
      eventDestinations: [
        {
          eventDestinationName: 'receipts',
          enabled: true,
          matchingEventTypes: reportedEventTypes,
          snsDestination: { topicArn: this.topic.topicArn },
        },
      ],
    });
    // If this permission is missing, AWS refuses the event destination or loses the first receipts.
    configurationSet.node.addDependency(published);
    allow(
      dispatch,
      ['sms-voice:SendTextMessage'],
      [
        configurationSet.attrArn,
        // Administrators add senders without a deploy, so the function may use all senders in this account and region.
        ...senderKinds.map((kind) => this.arn('sms-voice', kind, '*')),
      ],
    );
  }

  private addWhatsApp(dispatch: GatewayFunction): void {
    this.grantPublish('social-messaging.amazonaws.com');
    acknowledgeWildcard(
      dispatch.executionRole,
      'social-messaging',
      'phone-number-id/*',
      'Phone numbers are linked by a person after the deploy; a row of senders names one.',
    );
    allow(
      dispatch,
      ['social-messaging:SendWhatsAppMessage'],
      [this.arn('social-messaging', 'phone-number-id', '*')],
    );
  }

  /**
   * Permits the service to publish only for this account. Otherwise it would publish for any account that names the topic.
   */
  private grantPublish(service: string, conditions: Record<string, object> = {}): IDependable {
    const sourceAccount = { 'aws:SourceAccount': Stack.of(this).account };
    const granted = this.topic.grantPublish(
      new ServicePrincipal(service, { conditions: { StringEquals: sourceAccount, ...conditions } }),
    );
    granted.assertSuccess();
    return granted;
  }

  private arn(service: string, resource: string, resourceName: string): string {
    return Stack.of(this).formatArn({
      service,
      resource,
      resourceName,
      arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
    });
  }
}
