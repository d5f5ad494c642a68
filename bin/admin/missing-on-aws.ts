/** Finds the missing steps on AWS after a deploy: quotas to request, channels to connect, e-mails to confirm. */
import { GetAccountSettingsCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import {
  DescribeAccountAttributesCommand,
  DescribePhoneNumbersCommand,
  DescribePoolsCommand,
  DescribeSenderIdsCommand,
  DescribeSpendLimitsCommand,
  type PhoneNumberInformation,
  type PinpointSMSVoiceV2Client,
  type PoolInformation,
} from '@aws-sdk/client-pinpoint-sms-voice-v2';
import {
  ListLinkedWhatsAppBusinessAccountsCommand,
  type SocialMessagingClient,
} from '@aws-sdk/client-socialmessaging';
import { addressOf, signedPost } from '../../shared/platform/aws/signed-post.ts';

export interface Missing {
  readonly about: string;
  readonly problem: string;
  readonly next_step: string;
}

export interface AwsClients {
  readonly lambda: LambdaClient;
  readonly sms: PinpointSMSVoiceV2Client;
  readonly social: SocialMessagingClient;
  /** Returns the addresses that get a topic's e-mails, with the ARN of the subscription or `PendingConfirmation`. */
  readonly subscriptionsOf: (topicArn: string) => Promise<
    readonly {
      readonly endpoint: string;
      readonly arn: string;
    }[]
  >;
}

export interface StageOnAws {
  readonly smsByAws: boolean;
  readonly whatsappByAws: boolean;
  /** The output `ReceiptsTopicArn`. */
  readonly receiptsTopic: string | undefined;
  /** The SNS topics that send alarms by e-mail. */
  readonly alarmTopics: readonly string[];
}

/** Returns the missing steps. If the credentials do not permit a check, the list contains this as a step. */
export async function missingOnAws(clients: AwsClients, stage: StageOnAws): Promise<readonly Missing[]> {
  const checks: readonly (readonly [string, Promise<readonly Missing[]>])[] = [
    ['quota', concurrency(clients)],
    ...stage.alarmTopics.map((topic) => ['alarms', confirmations(clients, topic)] as const),
    ...(stage.smsByAws
      ? ([
          ['SMS sandbox', sandbox(clients)],
          ['SMS spending limit', spendingLimit(clients)],
          ['SMS sender', smsSenders(clients, stage.receiptsTopic)],
        ] as const)
      : []),
    ...(stage.whatsappByAws ? ([['WhatsApp', whatsapp(clients, stage)]] as const) : []),
  ];
  const found = await Promise.all(
    checks.map(([about, check]) =>
      check.catch((error: unknown) => [
        {
          about,
          problem: `AWS did not answer: ${error instanceof Error ? error.name : String(error)}`,
          next_step: 'Run the command with credentials that may read this, in the region of the stage.',
        },
      ]),
    ),
  );
  return found.flat();
}

/** The usual quota of AWS Lambda; new accounts often have 10. */
const defaultConcurrency = 1000;

async function concurrency({ lambda }: AwsClients): Promise<readonly Missing[]> {
  const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
  const executions = AccountLimit?.ConcurrentExecutions ?? 0;
  if (executions >= defaultConcurrency) return [];
  return [
    {
      about: 'quota',
      problem: `AWS Lambda runs ${executions} executions at once in this account; more calls are throttled`,
      next_step: `aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value ${defaultConcurrency}`,
    },
  ];
}

async function confirmations({ subscriptionsOf }: AwsClients, topic: string): Promise<readonly Missing[]> {
  const subscriptions = await subscriptionsOf(topic);
  if (subscriptions.length === 0)
    return [
      {
        about: 'alarms',
        problem:
          'Nobody gets the e-mails of this topic: SNS deletes a subscription that is not confirmed in 48 hours',
        next_step: `aws sns subscribe --topic-arn ${topic} --protocol email --notification-endpoint ADDRESS`,
      },
    ];
  return subscriptions
    .filter(({ arn }) => !arn.startsWith('arn:'))
    .map(({ endpoint }) => ({
      about: 'alarms',
      problem: `${endpoint} has not confirmed its subscription and gets no alarm`,
      next_step: `Follow the link in the e-mail of AWS to ${endpoint} within 48 hours of the deploy.`,
    }));
}

async function sandbox({ sms }: AwsClients): Promise<readonly Missing[]> {
  const { AccountAttributes = [] } = await sms.send(new DescribeAccountAttributesCommand({}));
  if (!AccountAttributes.some(({ Name, Value }) => Name === 'ACCOUNT_TIER' && Value === 'SANDBOX')) return [];
  return [
    {
      about: 'SMS sandbox',
      problem: 'AWS sends SMS only to ten verified numbers',
      next_step:
        'Request production access in a support case: https://docs.aws.amazon.com/sms-voice/latest/userguide/sandbox.html',
    },
  ];
}

/** The monthly spending limit of a new account, in USD. */
const firstSpendingLimit = 1;

async function spendingLimit({ sms }: AwsClients): Promise<readonly Missing[]> {
  const { SpendLimits = [] } = await sms.send(new DescribeSpendLimitsCommand({}));
  const limit = SpendLimits.find(({ Name }) => Name === 'TEXT_MESSAGE_MONTHLY_SPEND_LIMIT');
  const { EnforcedLimit = 0, MaxLimit = 0 } = limit ?? {};
  if (EnforcedLimit > firstSpendingLimit) return [];
  return [
    {
      about: 'SMS spending limit',
      problem: `AWS sends SMS for at most ${EnforcedLimit} USD a month`,
      next_step:
        MaxLimit > EnforcedLimit
          ? `aws pinpoint-sms-voice-v2 set-text-message-spend-limit-override --monthly-limit ${MaxLimit}`
          : 'Request a higher limit in a support case: https://docs.aws.amazon.com/sms-voice/latest/userguide/spend-limit.html',
    },
  ];
}

async function smsSenders(
  { sms }: AwsClients,
  receiptsTopic: string | undefined,
): Promise<readonly Missing[]> {
  const [{ PhoneNumbers = [] }, { Pools = [] }, { SenderIds = [] }] = await Promise.all([
    sms.send(new DescribePhoneNumbersCommand({})),
    sms.send(new DescribePoolsCommand({})),
    sms.send(new DescribeSenderIdsCommand({})),
  ]);
  const active = PhoneNumbers.filter(({ Status }) => Status === 'ACTIVE');
  if (active.length + SenderIds.length === 0)
    return [
      {
        about: 'SMS sender',
        problem: 'No phone number is active in this region, and there is no sender ID',
        next_step: 'Request a sender, and wait until it is active: docs/carriers.md, 2. Get a sender for SMS',
      },
    ];
  const deaf = withoutTwoWay([...active, ...Pools], receiptsTopic);
  if (deaf.length > 0) return deaf;
  if (active.length === 0 || [...active, ...Pools].some((one) => one.TwoWayChannelArn === receiptsTopic))
    return [];
  return [
    {
      about: 'replies by SMS',
      problem: 'No number or pool publishes replies, such as STOP, to the topic of this stage',
      next_step: `aws pinpoint-sms-voice-v2 update-phone-number --phone-number-id PHONE_NUMBER_ID --two-way-enabled --two-way-channel-arn ${receiptsTopic}`,
    },
  ];
}

/**
 * Returns the senders whose recipients cannot opt out: AWS ignores STOP because opt-outs are self-managed, and no two-way
 * channel reports it to the gateway. A number in a pool uses the channel of its pool.
 */
function withoutTwoWay(
  senders: readonly (PhoneNumberInformation | PoolInformation)[],
  receiptsTopic: string | undefined,
): readonly Missing[] {
  const heard = senders.filter(({ TwoWayChannelArn }) => TwoWayChannelArn === receiptsTopic);
  const pools = new Set(heard.flatMap((each) => ('PhoneNumber' in each ? [] : [each.PoolId])));
  return senders
    .filter((each) => each.SelfManagedOptOutsEnabled === true && !heard.includes(each))
    .filter((each) => !('PhoneNumber' in each) || !pools.has(each.PoolId))
    .map((each) => {
      const isNumber = 'PhoneNumber' in each;
      const [kind, option] = isNumber ? ['number', 'phone-number'] : ['pool', 'pool'];
      const id = isNumber ? each.PhoneNumberId : each.PoolId;
      return {
        about: 'opt-outs',
        problem: `Opt-outs of the ${kind} ${id} are self-managed, but a STOP does not reach the topic of this stage: recipients who opt out still get messages`,
        next_step: `aws pinpoint-sms-voice-v2 update-${option} --${option}-id ${id} --two-way-enabled --two-way-channel-arn ${receiptsTopic}, or add --no-self-managed-opt-outs-enabled so that AWS stops them`,
      };
    });
}

async function whatsapp({ social }: AwsClients, { receiptsTopic }: StageOnAws): Promise<readonly Missing[]> {
  const { linkedAccounts = [] } = await social.send(new ListLinkedWhatsAppBusinessAccountsCommand({}));
  const withoutEvents = linkedAccounts.filter(({ eventDestinations = [] }) =>
    eventDestinations.every(({ eventDestinationArn }) => eventDestinationArn !== receiptsTopic),
  );
  return [
    ...(linkedAccounts.length === 0
      ? [
          {
            about: 'WhatsApp',
            problem: 'No WhatsApp Business Account is linked in this region',
            next_step: 'Link one: docs/carriers.md, 3. Link WhatsApp',
          },
        ]
      : []),
    // A WhatsApp account that belongs to another gateway in this region publishes to the topic of that gateway.
    ...(withoutEvents.length === linkedAccounts.length
      ? withoutEvents.map(({ id, wabaName }) => ({
          about: 'WhatsApp',
          problem: `${wabaName} does not publish its events to the topic of this stage: messages stay sent`,
          next_step: `aws socialmessaging put-whatsapp-business-account-event-destinations --id ${id} --event-destinations eventDestinationArn=${receiptsTopic}`,
        }))
      : []),
  ];
}

/**
 * Returns the e-mail subscriptions of a topic. Calls SNS's query API directly, because an SNS client for one call would be
 * another dependency.
 *
 * @param caller - a client of another service, which gives the region and the credentials
 */
export async function emailSubscriptions(caller: Parameters<typeof signedPost>[0], topicArn: string) {
  const response = await signedPost(caller, {
    service: 'sns',
    endpoint: new URL(addressOf('sns', await caller.region())),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      Action: 'ListSubscriptionsByTopic',
      Version: '2010-03-31',
      TopicArn: topicArn,
    }).toString(),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`SNS answered ${response.status}`);
  return subscriptionsIn(text);
}

/** Parses the XML of SNS. The members in this XML are not nested. */
export function subscriptionsIn(xml: string) {
  return Array.from(xml.matchAll(/<member>(.*?)<\/member>/gs), ([, member = '']) => ({
    endpoint: /<Endpoint>(.*?)<\/Endpoint>/.exec(member)?.[1] ?? '',
    arn: /<SubscriptionArn>(.*?)<\/SubscriptionArn>/.exec(member)?.[1] ?? '',
  }));
}
