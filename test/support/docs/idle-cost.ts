/** Computes the cost of a stage in a month without traffic, from its template and `test/cost/prices.json`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { synthesized, type TemplateResource } from '../template/stage-templates.ts';
import { root } from './pages.ts';

const { month: prices, ...perCall } = JSON.parse(readFileSync(join(root, 'test/cost/prices.json'), 'utf8'));

/** A key of KMS, for a month. */
export const keyPrice: number = prices.kms_key;
export const rulePrice: number = prices.web_acl_rule;

const minutesInMonth = 43_800;

interface Part {
  readonly name: string;
  readonly count: number;
  readonly price: number;
}

/** The types that `partsOf` counts; the page names the alarms that scaling policies make. */
export const pricedWhenIdle: ReadonlySet<string> = new Set([
  'AWS::ApplicationAutoScaling::ScalableTarget',
  'AWS::ApplicationAutoScaling::ScalingPolicy',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::KMS::Key',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Scheduler::Schedule',
  'AWS::SecretsManager::Secret',
  'AWS::WAFv2::WebACL',
]);

/** They cost by the request, the byte or nothing. A new type is listed here, or counted in `partsOf`. */
export const freeWhenIdle: ReadonlySet<string> = new Set([
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::DomainName',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::DynamoDB::Table',
  'AWS::IAM::Role',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::Route53::RecordSet',
  'AWS::SMSVOICE::ConfigurationSet',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACLAssociation',
]);

function partsOf(resources: Readonly<Record<string, TemplateResource>>): readonly Part[] {
  const ofType = (type: string) => Object.values(resources).filter(({ Type }) => Type === type);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const alarmMetrics = ofType('AWS::CloudWatch::Alarm').map(({ Properties: { Metrics } }) => {
    const read = (Metrics ?? [{ MetricStat: {} }]) as readonly {
      MetricStat?: unknown;
      Expression?: string;
    }[];
    // A query costs by the metrics that it finds, which are none while nothing is throttled. One is counted.
    return read.filter(
      ({ MetricStat, Expression = '' }) => MetricStat !== undefined || Expression.startsWith('SELECT'),
    ).length;
  });
  const polledQueues = ofType('AWS::Lambda::EventSourceMapping').filter(({ Properties }) =>
    String(JSON.stringify(Properties.EventSourceArn)).includes('Queue'),
  );
  const webAcls = ofType('AWS::WAFv2::WebACL');
  const run =
    perCall.lambda_request +
    prices.schedule_call +
    (prices.assumed.run_seconds * 0.5 * perCall.lambda_gb_second +
      prices.assumed.run_read_units * perCall.dynamodb_read_unit +
      (prices.assumed.run_log_bytes / 1e9) * perCall.log_gigabyte);
  return [
    { name: 'Metrics of alarms', count: sum(alarmMetrics), price: prices.alarm_metric },
    { name: 'Web ACL', count: webAcls.length, price: prices.web_acl },
    {
      name: 'Rules of the web ACL',
      count: sum(webAcls.map(({ Properties }) => Properties.Rules.length)),
      price: prices.web_acl_rule,
    },
    { name: 'KMS key', count: ofType('AWS::KMS::Key').length, price: prices.kms_key },
    { name: 'Secret', count: ofType('AWS::SecretsManager::Secret').length, price: prices.secret },
    {
      name: 'Queues that Lambda polls',
      count: polledQueues.length,
      price: prices.assumed.polls_of_queue * perCall.sqs_request,
    },
    {
      name: 'Runs by the clock',
      count: ofType('AWS::Scheduler::Schedule').length * minutesInMonth,
      price: run,
    },
    {
      name: 'Provisioned capacity, units of `min`',
      count: sum(
        ofType('AWS::ApplicationAutoScaling::ScalableTarget').map(({ Properties }) => Properties.MinCapacity),
      ),
      // Half of the units are for writing.
      price:
        ((perCall.dynamodb_provisioned.write_unit_hour + perCall.dynamodb_provisioned.read_unit_hour) / 2) *
        prices.capacity_unit_hours,
    },
  ];
}

/**
 * Returns the table of the costs that the additional parts of `production` add to a million messages, each sent by its own
 * request.
 */
export function requestCostTable(): string {
  const { access_log_bytes, traced_calls } = perCall.assumed;
  const million = 1_000_000;
  const rows = [
    ['Web ACL', '`webAcl`', perCall.waf_request],
    ['Access log of API Gateway', '`apiAccessLogs`', (access_log_bytes / 1e9) * perCall.log_gigabyte],
    ['X-Ray traces', '`tracing`', traced_calls.of_a_message * traced_calls.share * perCall.trace],
  ] as const;
  return [
    '| Part | Setting | USD for a million messages |',
    '|---|---|---|',
    ...rows.map(([name, setting, price]) => `| ${name} | ${setting} | ${(price * million).toFixed(2)} |`),
    `| **Together** | | **${(rows.reduce((sum, [, , price]) => sum + price, 0) * million).toFixed(2)}** |`,
  ].join('\n');
}

/** USD, by the deployment's name. */
export function idleMonth(deployment: string): number {
  return partsOf(synthesized(deployment).resources).reduce((sum, { count, price }) => sum + count * price, 0);
}

export function idleCostTable(): string {
  const dev = partsOf(synthesized('no settings').resources);
  const production = partsOf(synthesized('production').resources);
  const shown = ({ count, price }: Part): string =>
    `${count.toLocaleString('en')} | ${(count * price).toFixed(2)}`;
  const rows = production.flatMap((part) => {
    const same = dev.find(({ name }) => name === part.name) ?? part;
    return same.count + part.count === 0 ? [] : [`| ${part.name} | ${shown(same)} | ${shown(part)} |`];
  });
  return [
    '| Part | `dev` | USD | `production` | USD |',
    '|---|---|---|---|---|',
    ...rows,
    `| **Total** | | **${idleMonth('no settings').toFixed(2)}** | | **${idleMonth('production').toFixed(2)}** |`,
  ].join('\n');
}
