/**
 * The names that a template gives to resources, with the limits of CloudFormation's own schemas. A name without an entry
 * here fails the tests: a new one is listed with where it is unique.
 */
import type { TemplateResource } from './stage-templates.ts';

interface NameLimit {
  readonly longest: number;
  readonly pattern: RegExp;
  /** The scope in which the name is unique. Undefined for a name inside another resource. */
  readonly unique?: 'in a region' | 'in an account' | undefined;
}

const alias = { longest: 128, pattern: /^[a-zA-Z0-9-_]+$/ };
const handler = { longest: 128, pattern: /^\S+$/ };
const alarm: NameLimit = { longest: 255, pattern: /^[\w-]+$/, unique: 'in a region' };
const metric = { longest: 255, pattern: /^[\w.-]+$/ };
const table: NameLimit = { longest: 255, pattern: /^[a-zA-Z0-9_.-]{3,}$/, unique: 'in a region' };
const domain = { longest: 255, pattern: /^[a-z0-9.-]+$/ };

/** By type and property. Names inside a resource are not unique. */
const limits: Readonly<Record<string, Readonly<Record<string, NameLimit>>>> = {
  'AWS::ApiGateway::DomainName': { DomainName: domain },
  'AWS::ApiGateway::RestApi': { Name: { longest: 1024, pattern: /./, unique: 'in a region' } },
  'AWS::ApiGateway::Stage': { StageName: alias },
  'AWS::ApiGateway::BasePathMapping': { DomainName: domain },
  'AWS::ApplicationAutoScaling::ScalingPolicy': {
    PolicyName: { longest: 256, pattern: /./ },
  },
  'AWS::CloudWatch::Alarm': { MetricName: metric, AlarmName: alarm },
  'AWS::CloudWatch::Dashboard': {
    DashboardName: { longest: 255, pattern: /^[a-zA-Z0-9_-]+$/, unique: 'in an account' },
  },
  'AWS::CodeDeploy::DeploymentGroup': {
    DeploymentConfigName: { longest: 100, pattern: /^[\w.]+$/ },
  },
  'AWS::DynamoDB::Table': { TableName: table },
  'AWS::Lambda::Alias': { Name: alias },
  'AWS::Logs::LogGroup': {
    LogGroupName: { longest: 512, pattern: /^[.\-_/#A-Za-z0-9]+$/, unique: 'in a region' },
  },
  'AWS::Logs::MetricFilter': { FilterName: metric },
  // The record of the setting `customDomain`; a second region of one name has no hosted zone in its settings.
  'AWS::Route53::RecordSet': { Name: domain },
  'AWS::SMSVOICE::ConfigurationSet': {
    ConfigurationSetName: { longest: 64, pattern: /^[A-Za-z0-9_-]+$/, unique: 'in a region' },
  },
  'AWS::SNS::Topic': {
    TopicName: { longest: 256, pattern: /^[A-Za-z0-9_-]+$/, unique: 'in a region' },
  },
  'AWS::Scheduler::ScheduleGroup': {
    Name: { longest: 64, pattern: /^[0-9a-zA-Z-_.]+$/, unique: 'in a region' },
  },
  'AWS::WAFv2::WebACL': { Name: handler },
};

/** The metric names in a web ACL's rules have at most 128 characters. */
const webAclMetric: NameLimit = { longest: 128, pattern: /^[\w#:./-]+$/, unique: 'in a region' };

interface PhysicalName extends NameLimit {
  readonly property: string;
  readonly value: unknown;
}

/**
 * Returns the names of a resource that do not refer to another one.
 *
 * @throws Error if a property is a name whose limit is unknown here
 */
export function physicalNames({ Type, Properties }: TemplateResource): PhysicalName[] {
  const names = Object.entries(Properties ?? {}).flatMap(([property, value]) => {
    if (!property.endsWith('Name') || isReference(value)) return [];
    const limit = limits[Type]?.[property];
    if (limit === undefined) throw new Error(`no limit is known of ${Type} ${property}`);
    return [{ property, value, ...limit }];
  });
  if (Type !== 'AWS::WAFv2::WebACL') return names;
  const metrics = Array.from(JSON.stringify(Properties).matchAll(/"MetricName":"([^"]+)"/g), ([, value]) => ({
    property: 'MetricName',
    value,
    ...webAclMetric,
  }));
  return [...names, ...metrics];
}

/** References to other resources, without pseudo parameters such as `AWS::StackId`. */
function isReference(value: unknown): boolean {
  return /"(Ref":"(?!AWS::)|Fn::GetAtt":)/.test(JSON.stringify(value));
}

const someStack =
  'arn:aws:cloudformation:eu-west-1:000000000000:stack/s/01234567-89ab-cdef-0123-456789abcdef';

/** A value with CloudFormation's functions evaluated. */
export function rendered(value: unknown, stackId = someStack, region = 'eu-west-1'): string {
  return String(evaluated(value, stackId, region));
}

function evaluated(value: unknown, stackId: string, region: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => evaluated(each, stackId, region));
  const [[name = '', given] = []] = Object.entries(value);
  const operands = evaluated(given, stackId, region) as readonly unknown[];
  if (name === 'Ref' && given === 'AWS::StackId') return stackId;
  if (name === 'Ref' && given === 'AWS::Region') return region;
  if (name === 'Fn::Join') return (operands[1] as readonly unknown[]).join(String(operands[0]));
  if (name === 'Fn::Split') return String(operands[1]).split(String(operands[0]));
  if (name === 'Fn::Select') return (operands[1] as readonly unknown[])[Number(operands[0])];
  throw new Error(`a name made by ${name}`);
}
