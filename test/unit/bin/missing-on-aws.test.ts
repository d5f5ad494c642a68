/** `doctor` names what a stage still lacks on AWS, and what to type next. */
import { expect, it } from '@jest/globals';
import {
  type AwsClients,
  missingOnAws,
  type StageOnAws,
  subscriptionsIn,
} from '../../../bin/admin/missing-on-aws.ts';

const topic = 'arn:aws:sns:eu-west-1:111122223333:gateway-receipts';
const alarms = 'arn:aws:sns:eu-west-1:111122223333:gateway-alarms';
const stage: StageOnAws = {
  smsByAws: true,
  whatsappByAws: true,
  receiptsTopic: topic,
  alarmTopics: [alarms],
};

/** Nothing is missing with these. */
const answers = {
  GetAccountSettingsCommand: { AccountLimit: { ConcurrentExecutions: 1000 } },
  DescribeAccountAttributesCommand: { AccountAttributes: [{ Name: 'ACCOUNT_TIER', Value: 'PRODUCTION' }] },
  DescribeSpendLimitsCommand: {
    SpendLimits: [{ Name: 'TEXT_MESSAGE_MONTHLY_SPEND_LIMIT', EnforcedLimit: 500, MaxLimit: 500 }],
  },
  DescribePhoneNumbersCommand: {
    PhoneNumbers: [{ PhoneNumberId: 'phone-1', Status: 'ACTIVE', TwoWayChannelArn: topic }],
  },
  DescribePoolsCommand: { Pools: [] },
  DescribeSenderIdsCommand: { SenderIds: [] },
  ListLinkedWhatsAppBusinessAccountsCommand: {
    linkedAccounts: [{ id: 'waba-1', wabaName: 'Shop', eventDestinations: [{ eventDestinationArn: topic }] }],
  },
  subscriptions: [{ endpoint: 'on-call@example.com', arn: `${alarms}:1` }],
};

function clientsWith(changed: Readonly<Record<string, unknown>>): AwsClients {
  const all: Readonly<Record<string, unknown>> = { ...answers, ...changed };
  const client = {
    send: async (command: object) => {
      const answer = all[command.constructor.name];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return {
    lambda: client,
    sms: client,
    social: client,
    subscriptionsOf: async () => all.subscriptions,
  } as unknown as AwsClients;
}

const spend = (EnforcedLimit: number, MaxLimit: number) => ({
  DescribeSpendLimitsCommand: {
    SpendLimits: [{ Name: 'TEXT_MESSAGE_MONTHLY_SPEND_LIMIT', EnforcedLimit, MaxLimit }],
  },
});

it.each<[string, Readonly<Record<string, unknown>>, Partial<StageOnAws>, readonly [RegExp, RegExp][]]>([
  ['nothing', {}, {}, []],
  [
    'the quota of a new account',
    { GetAccountSettingsCommand: { AccountLimit: { ConcurrentExecutions: 10 } } },
    {},
    [[/runs 10 executions/, /^aws service-quotas .* L-B99A9384 /]],
  ],
  [
    'the sandbox',
    { DescribeAccountAttributesCommand: { AccountAttributes: [{ Name: 'ACCOUNT_TIER', Value: 'SANDBOX' }] } },
    {},
    [[/ten verified numbers/, /support case/]],
  ],
  ['the first spending limit', spend(1, 1), {}, [[/at most 1 USD/, /support case/]]],
  ['a limit of one’s own', spend(1, 500), {}, [[/at most 1 USD/, /override --monthly-limit 500/]]],
  [
    'a number that is still pending',
    { DescribePhoneNumbersCommand: { PhoneNumbers: [{ Status: 'PENDING' }] } },
    {},
    [[/No phone number is active/, /Request a sender/]],
  ],
  [
    'replies',
    { DescribePhoneNumbersCommand: { PhoneNumbers: [{ PhoneNumberId: 'phone-1', Status: 'ACTIVE' }] } },
    {},
    [[/STOP/, /--phone-number-id PHONE_NUMBER_ID .*gateway-receipts$/]],
  ],
  [
    'replies by a pool: nothing',
    {
      DescribePhoneNumbersCommand: { PhoneNumbers: [{ Status: 'ACTIVE' }] },
      DescribePoolsCommand: { Pools: [{ TwoWayChannelArn: topic }] },
    },
    {},
    [],
  ],
  [
    'the two-way channel of a number and a pool whose opt-outs are self-managed',
    {
      DescribePhoneNumbersCommand: {
        PhoneNumbers: [
          { PhoneNumber: '+447', PhoneNumberId: 'phone-1', Status: 'ACTIVE', TwoWayChannelArn: topic },
          ...['phone-2', 'phone-3', 'phone-4'].map((PhoneNumberId, index) => ({
            ...{ PhoneNumber: '+447', PhoneNumberId, Status: 'ACTIVE', PoolId: `pool-${index}` },
            SelfManagedOptOutsEnabled: index !== 2,
          })),
        ],
      },
      DescribePoolsCommand: {
        Pools: [
          { PoolId: 'pool-0', SelfManagedOptOutsEnabled: true },
          { PoolId: 'pool-1', SelfManagedOptOutsEnabled: true, TwoWayChannelArn: topic },
        ],
      },
    },
    {},
    [
      [
        /number phone-2 are self-managed/,
        /update-phone-number --phone-number-id phone-2 .*gateway-receipts, or/,
      ],
      [/pool pool-0 are self-managed/, /update-pool --pool-id pool-0 /],
    ],
  ],
  [
    'the link of WhatsApp',
    { ListLinkedWhatsAppBusinessAccountsCommand: {} },
    {},
    [[/No WhatsApp Business Account/, /docs\/carriers\.md/]],
  ],
  [
    'the events of WhatsApp',
    { ListLinkedWhatsAppBusinessAccountsCommand: { linkedAccounts: [{ id: 'waba-1', wabaName: 'Shop' }] } },
    {},
    [[/^Shop does not publish/, /--id waba-1 .*gateway-receipts$/]],
  ],
  [
    'a confirmation',
    { subscriptions: [{ endpoint: 'on-call@example.com', arn: 'PendingConfirmation' }] },
    {},
    [[/^on-call@example.com has not confirmed/, /Follow the link/]],
  ],
  [
    'a subscription that SNS deleted',
    { subscriptions: [] },
    {},
    [[/48 hours/, /^aws sns subscribe .*gateway-alarms /]],
  ],
  [
    'a permission',
    { DescribeAccountAttributesCommand: Object.assign(new Error('no'), { name: 'AccessDeniedException' }) },
    {},
    [[/AccessDeniedException/, /credentials/]],
  ],
  [
    'nothing that a stage without these channels needs',
    { DescribePhoneNumbersCommand: {}, ListLinkedWhatsAppBusinessAccountsCommand: {} },
    { smsByAws: false, whatsappByAws: false },
    [],
  ],
])('what is missing: %s', async (_name, changed, ofStage, expected) => {
  const found = await missingOnAws(clientsWith(changed), { ...stage, ...ofStage });
  expect(found).toHaveLength(expected.length);
  for (const [index, [problem, nextStep]] of expected.entries()) {
    expect(found[index]?.problem).toMatch(problem);
    expect(found[index]?.next_step).toMatch(nextStep);
  }
});

it('the answer of SNS has the address and the state of each subscription', () => {
  const xml =
    '<Subscriptions><member><SubscriptionArn>PendingConfirmation</SubscriptionArn><Endpoint>a@example.com</Endpoint></member>' +
    `<member><Endpoint>b@example.com</Endpoint><SubscriptionArn>${alarms}:1</SubscriptionArn></member></Subscriptions>`;
  expect(subscriptionsIn(xml)).toEqual([
    { endpoint: 'a@example.com', arn: 'PendingConfirmation' },
    { endpoint: 'b@example.com', arn: `${alarms}:1` },
  ]);
});
