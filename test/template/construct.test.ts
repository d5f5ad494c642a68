/** The construct in the app of a platform team: in its own stack, beside other gateways, with what it exposes. */
import { describe, expect, it } from '@jest/globals';
import { App, NestedStack, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { GatewayStack } from '../../lib/gateway-stack.ts';
import { MessagingGateway, type MessagingGatewayProps } from '../../lib/messaging-gateway.ts';
import { administration } from '../../shared/contract/function-uses.ts';
import type { Uses } from '../../shared/contract/uses.ts';
import { physicalNames, rendered } from '../support/template/physical-names.ts';
import type { TemplateResource } from '../support/template/stage-templates.ts';

const app = () => new App({ builtinCloudFormationValidation: false });

function gatewayIn(stack: Stack, props: MessagingGatewayProps = {}): MessagingGateway {
  return new MessagingGateway(stack, 'Messaging', props);
}

const resourcesOf = (stack: Stack): Readonly<Record<string, TemplateResource>> =>
  Template.fromStack(stack).toJSON().Resources;

/** The names of a stack that must be unique in an account or a region. */
const namesIn = (stack: Stack): string[] =>
  Object.values(resourcesOf(stack)).flatMap((resource) =>
    physicalNames(resource).flatMap(({ value, unique }) => (unique === undefined ? [] : [rendered(value)])),
  );

it.each([true, false])(
  'the stack of a stage that keeps its data is protected against deletion: %s',
  (keepData) => {
    expect(new GatewayStack(app(), { keepData }).terminationProtection).toBe(keepData);
  },
);

describe('the construct in the app of a platform team', () => {
  it('can be in two stacks of one app: no name of one is a name of the other', () => {
    const both = app();
    const [first, second] = ['orders', 'billing'].map((name) => {
      const stack = new Stack(both, name);
      gatewayIn(stack);
      return stack;
    }) as [Stack, Stack];
    const others = new Set(namesIn(second));
    expect(others.size).toBeGreaterThan(13);
    expect(namesIn(first).filter((name) => others.has(name))).toEqual([]);
  });

  it('is refused a second time in a stack, and in a nested one, whose name is not known', () => {
    const stack = new Stack(app(), 'orders');
    gatewayIn(stack);
    expect(() => new MessagingGateway(stack, 'Second')).toThrow('orders/Second: a stack has room for one');
    expect(() => gatewayIn(new NestedStack(new Stack(app(), 'billing'), 'Nested'))).toThrow('a nested stack');
  });

  it('names every invalid property, and what it should be', () => {
    const props = { retentionDays: 0, retentoinDays: 30, canary: true };
    const wrong = () => gatewayIn(new Stack(app(), 'orders'), props as MessagingGatewayProps);
    expect(wrong).toThrow('retentoinDays: there is no such setting. Did you mean retentionDays?');
    expect(wrong).toThrow('retentionDays: Too small');
    expect(() => gatewayIn(new Stack(app(), 'g'.repeat(52)))).toThrow('stackName: 51 characters at most');
  });

  const stack = new Stack(app(), 'orders', { env: { account: '000000000000', region: 'eu-west-1' } });
  const gateway = gatewayIn(stack, { alarms: {} });
  const role = new Role(stack, 'Support', { assumedBy: new AccountPrincipal('111122223333') });
  gateway.grantAdmin(role);
  const page = { bind: () => ({ alarmActionArn: 'arn:aws:sns:eu-west-1:111122223333:page' }) };
  gateway.addAlarmAction(page satisfies IAlarmAction);
  const template = Template.fromStack(stack);

  it('exposes its API and address, tables and queues', () => {
    expect(stack.resolve(gateway.url)).toEqual(
      expect.objectContaining({ 'Fn::Join': ['', expect.arrayContaining(['https://'])] }),
    );
    expect(gateway.api.restApiName).toBe('orders');
    expect(gateway.receiptsTopic).toBeUndefined();
    for (const table of Object.values(gateway.tables)) expect(table.node.path).toContain('Messaging/Storage');
    expect(Object.keys(gateway.tables)).toContain('messages');
    expect(gateway.queues.webhooks.deadLetterQueue).toBeDefined();
  });

  it('permits an administrator each action that the command line has declared, and no more', () => {
    const parts: readonly Uses[] = administration;
    const declared = parts.flatMap(({ tables = {} }) => Object.values(tables).flat());
    const [policy] = Object.values(template.findResources('AWS::IAM::Policy'));
    const allowed = policy?.Properties.PolicyDocument.Statement.flatMap(
      ({ Action }: { Action: string | string[] }) => Action,
    ) as string[];
    const wanted = declared.map((action) => `dynamodb:${String(action).split(' ')[0]}`);
    const others = ['sqs:SendMessage', 'cloudformation:DescribeStacks'];
    expect([...new Set(allowed)].toSorted()).toEqual([...new Set([...wanted, ...others])].toSorted());
  });

  it('adds an action to each alarm', () => {
    const alarms = Object.keys(template.findResources('AWS::CloudWatch::Alarm'));
    expect(alarms.length).toBeGreaterThan(15);
    const withAction = { Properties: { AlarmActions: Match.arrayWith([Match.stringLikeRegexp('page$')]) } };
    expect(Object.keys(template.findResources('AWS::CloudWatch::Alarm', withAction))).toEqual(alarms);
  });

  it('has metrics of what it counts, of its API, and of the functions that send', () => {
    const metrics = [
      gateway.metric('OtpHeld'),
      gateway.metricCost(),
      gateway.metricServerErrors(),
      gateway.metricLatency(),
    ];
    expect(metrics.map(({ metricName }) => metricName)).toEqual([
      'OtpHeld',
      'MessageCost',
      '5XXError',
      'Latency',
    ]);
    const { expression, usingMetrics } = gateway.metricSends();
    expect(expression).toBe(`SUM([${Object.keys(usingMetrics).join(', ')}])`);
    expect(Object.keys(usingMetrics)).toHaveLength(4);
    expect(gateway.metricCost()).toMatchObject({
      statistic: 'Sum',
      account: '000000000000',
      region: 'eu-west-1',
    });
    expect(gateway.metric('OtpHandOverTime').statistic).toBe('p99');
  });
});
