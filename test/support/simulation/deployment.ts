/**
 * What the stage `production` deploys, read from its template: functions with their variables and time limits, tables,
 * queues, and what invokes the functions. The simulation wires nothing by hand.
 */
import { App, type CfnElement, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { GatewayFunction, pricesFile } from '../../../lib/constructs/gateway-function.ts';
import { GatewayStack } from '../../../lib/gateway-stack.ts';
import { deployments } from '../template/deployments.ts';
import type { KeyNames, TableDefinition } from './aws/dynamodb.ts';
import type { Plan } from './plan.ts';

export interface DeployedFunction {
  /** The name of the resource, because two functions may have the same code. */
  readonly id: string;
  /** The file in `functions/`. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
}

export interface DeployedQueue {
  readonly name: string;
  readonly url: string;
  readonly arn: string;
  readonly visibilitySeconds: number;
  /** After these receives a message goes to the other queue. */
  readonly redrive?: { readonly maxReceives: number; readonly to: string } | undefined;
}

interface Batching {
  readonly functionId: string;
  readonly sourceArn: string;
  readonly batchSize: number;
  readonly windowSeconds: number;
}

export interface QueueSource extends Batching {
  readonly queue: string;
  readonly maxConcurrency: number;
  readonly reportsFailures: boolean;
}

export interface StreamSource extends Batching {
  readonly table: string;
  /** Patterns of Lambda's event filtering; without any, every record is passed on. */
  readonly filters: readonly unknown[];
  readonly bisects: boolean;
  /** Retries after which the batch goes to `onFailure`, or is dropped; without it, until its records are a day old. */
  readonly retriesMax?: number | undefined;
  readonly onFailure?: string | undefined;
  readonly atOnce: number;
  /** The length of its tumbling windows; 0 without. */
  readonly tumblingSeconds: number;
}

export interface Deployment {
  readonly functions: readonly DeployedFunction[];
  readonly tables: readonly TableDefinition[];
  readonly queues: readonly DeployedQueue[];
  readonly queueSources: readonly QueueSource[];
  readonly streamSources: readonly StreamSource[];
  /** Functions that run at intervals. */
  readonly timers: readonly { readonly functionId: string; readonly seconds: number }[];
  /** Files beside a function's code. */
  readonly files: Readonly<Record<string, string>>;
  readonly receiptsQueue: string;
}

// biome-ignore lint/suspicious/noExplicitAny: templates have no types
type Properties = Record<string, any>;
type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties: Properties }>>;

const region = 'eu-west-1';
const account = '111122223333';
const arnOf = (service: string, name: string): string => `arn:aws:${service}:${region}:${account}:${name}`;

export function deployment(): Deployment {
  // Runs that have one carrier leave the second out (`withSettings`).
  const settings = { ...deployments.production, smsCarrier: 'aws,infobip' };
  const stack = new GatewayStack(new App({ builtinCloudFormationValidation: false }), settings);
  const files = new Map(
    stack.node
      .findAll()
      .filter((construct) => construct instanceof GatewayFunction)
      .map((each) => [Stack.of(each).getLogicalId(each.node.defaultChild as CfnElement), each.functionFile]),
  );
  const resources = Template.fromStack(stack).toJSON().Resources as Resources;
  const value = resolver(resources);
  const ofType = (type: string) =>
    Object.entries(resources).flatMap(([id, resource]) =>
      resource.Type === type ? [[id, plain(id), resource.Properties] as const] : [],
    );

  const functions = ofType('AWS::Lambda::Function').flatMap(([logicalId, id, { Environment, Timeout }]) => {
    const file = files.get(logicalId);
    if (file === undefined) return [];
    const environment = Object.fromEntries(
      Object.entries(Environment.Variables).map(([name, given]) => [name, String(value(given))]),
    );
    return [{ id, file, environment, timeoutSeconds: Number(Timeout) }];
  });
  const queues = ofType('AWS::SQS::Queue').map(
    ([logicalId, name, { VisibilityTimeout = 30, RedrivePolicy }]) => ({
      name,
      url: String(value({ Ref: logicalId })),
      arn: arnOf('sqs', name),
      visibilitySeconds: Number(VisibilityTimeout),
      redrive: RedrivePolicy && {
        maxReceives: Number(RedrivePolicy.maxReceiveCount),
        to: nameIn(value(RedrivePolicy.deadLetterTargetArn)),
      },
    }),
  );
  const sources = ofType('AWS::Lambda::EventSourceMapping').map(([, , given]) => ({
    given,
    sourceArn: String(value(given.EventSourceArn)),
    functionId: String(value(given.FunctionName)).replace(/:live$/, ''),
    batchSize: Number(given.BatchSize),
    windowSeconds: Number(given.MaximumBatchingWindowInSeconds ?? 0),
  }));
  return {
    functions,
    tables: ofType('AWS::DynamoDB::Table').map(([, name, table]) => tableDefinition(name, table)),
    queues,
    queueSources: sources.flatMap(({ given, ...source }) =>
      source.sourceArn.includes(':sqs:')
        ? {
            ...source,
            queue: nameIn(source.sourceArn),
            maxConcurrency: Number(given.ScalingConfig.MaximumConcurrency),
            reportsFailures: (given.FunctionResponseTypes ?? []).includes('ReportBatchItemFailures'),
          }
        : [],
    ),
    streamSources: sources.flatMap(({ given, ...source }) =>
      source.sourceArn.includes(':dynamodb:')
        ? {
            ...source,
            table: source.sourceArn.split('/')[1] ?? '',
            filters: (given.FilterCriteria?.Filters ?? []).map(({ Pattern }: Properties) =>
              JSON.parse(Pattern),
            ),
            bisects: given.BisectBatchOnFunctionError === true,
            retriesMax: given.MaximumRetryAttempts,
            onFailure:
              given.DestinationConfig && nameIn(value(given.DestinationConfig.OnFailure.Destination)),
            atOnce: Number(given.ParallelizationFactor ?? 1),
            tumblingSeconds: Number(given.TumblingWindowInSeconds ?? 0),
          }
        : [],
    ),
    timers: ofType('AWS::Scheduler::Schedule').map(([, , { ScheduleExpression, Target }]) => ({
      functionId: nameIn(String(value(Target.Arn)).replace(/:live$/, '')),
      seconds: String(ScheduleExpression).includes('hour') ? 3600 : 60,
    })),
    files: { [pricesFile]: JSON.stringify(stack.stage.prices) },
    receiptsQueue: nameIn(
      functions
        .find(({ file }) => file === 'record-receipt')
        ?.environment.RECEIPTS_QUEUE_URL?.replaceAll('/', ':'),
    ),
  };
}

/** The same stage with settings on which nothing else that it deploys depends. */
export function withSettings(
  deployed: Deployment,
  { smsCarriers, onUnknown, unknownDeadlines }: Pick<Plan, 'smsCarriers' | 'onUnknown' | 'unknownDeadlines'>,
): Deployment {
  const values: Readonly<Record<string, string>> = {
    SMS_CARRIER: smsCarriers.join(','),
    ON_UNKNOWN: JSON.stringify(onUnknown),
    UNKNOWN_DEADLINE_SECONDS: JSON.stringify(unknownDeadlines),
  };
  const functions = deployed.functions.map((each) => {
    const set = Object.entries(values).filter(([name]) => each.environment[name] !== undefined);
    return { ...each, environment: { ...each.environment, ...Object.fromEntries(set) } };
  });
  return { ...deployed, functions };
}

function nameIn(arn: unknown): string {
  return String(arn).split(':').at(-1) ?? '';
}

/** The values of references and of CloudFormation's functions. */
function resolver(resources: Resources): (given: unknown) => unknown {
  const pseudo: Readonly<Record<string, string>> = {
    'AWS::Region': region,
    'AWS::AccountId': account,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackId': arnOf('cloudformation', 'stack/gateway/01234567-89ab-cdef-0123-456789abcdef'),
  };
  function referenced(id: string): string {
    const known = pseudo[id];
    if (known !== undefined) return known;
    const resource = resources[id];
    if (resource?.Type === 'AWS::SQS::Queue')
      return `https://sqs.${region}.amazonaws.com/${account}/${plain(id)}`;
    if (resource?.Type === 'AWS::Lambda::Alias')
      return arnOf('lambda', `function:${String(value(resource.Properties.FunctionName))}:live`);
    return plain(id);
  }
  function attribute(id: string, name: string): string {
    const type = resources[id]?.Type;
    if (name === 'StreamArn') return arnOf('dynamodb', `table/${plain(id)}/stream/2026`);
    if (name !== 'Arn') return `${plain(id)}.${name}`;
    return arnOf(
      type === 'AWS::SQS::Queue' ? 'sqs' : type === 'AWS::Lambda::Function' ? 'lambda' : 'other',
      plain(id),
    );
  }
  function value(given: unknown): unknown {
    if (typeof given !== 'object' || given === null) return given;
    const [name = '', of] = (Object.entries(given)[0] ?? []) as [string, never];
    switch (name) {
      case 'Ref':
        return referenced(String(of));
      case 'Fn::GetAtt':
        return attribute(of[0], of[1]);
      case 'Fn::Join':
        return (of[1] as unknown[]).map(value).join(of[0]);
      case 'Fn::Select':
        return (value(of[1]) as unknown[])[Number(of[0])];
      case 'Fn::Split':
        return String(value(of[1])).split(of[0]);
      default:
        throw new Error(`the simulation does not know what ${JSON.stringify(given)} is`);
    }
  }
  return value;
}

/** A logical id as a reader knows it: without the hash that the CDK adds. */
function plain(id: string): string {
  return id.replace(/[0-9A-F]{8}$/, '').replace(/^Storage/, '');
}

function tableDefinition(name: string, table: Properties): TableDefinition {
  const indexes = (table.GlobalSecondaryIndexes ?? []) as Properties[];
  return {
    name,
    ...keysOf(table.KeySchema),
    indexes: Object.fromEntries(
      indexes.map(({ IndexName, KeySchema, Projection }) => [
        IndexName,
        {
          ...keysOf(KeySchema),
          included: Projection.ProjectionType === 'ALL' ? undefined : (Projection.NonKeyAttributes ?? []),
        },
      ]),
    ),
    ttl: table.TimeToLiveSpecification?.AttributeName,
  };
}

function keysOf(schema: readonly Properties[]): KeyNames {
  return {
    partition: schema.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName,
    sort: schema.find(({ KeyType }) => KeyType === 'RANGE')?.AttributeName,
  };
}
