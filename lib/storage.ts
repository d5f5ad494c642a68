/** The tables: their keys as people read them in the console, and grants that name each action they permit. */
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  BillingMode,
  ProjectionType,
  StreamViewType,
  Table,
} from 'aws-cdk-lib/aws-dynamodb';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { EnvironmentName } from '../shared/env.ts';
import { watch } from './alarm.ts';
import type { GatewayFunction } from './lambda-function.ts';
import { acknowledge } from './rules.ts';
import type { StageSettings } from './stages.ts';

type ItemAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  /** Only where administrators list what has no key to query by. */
  | 'Scan'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'BatchWriteItem'
  | 'ConditionCheckItem';

interface IndexShape {
  readonly partition: string;
  readonly sort?: string;
  readonly projection: 'keys' | 'all';
}

interface TableShape {
  readonly variable: EnvironmentName;
  readonly partition: string;
  readonly sort?: string;
  readonly indexes?: Readonly<Record<string, IndexShape>>;
  /** Rows carry `purge_at`, and DynamoDB removes them some time after. */
  readonly purged?: boolean;
  /** Kept restorable to any second: rows that nothing else can bring back. */
  readonly restorable?: boolean;
  readonly streamed?: boolean;
  /** Written or read for every message. */
  readonly busy?: boolean;
}

/** All keys are strings. */
const shapes = {
  clients: { variable: 'CLIENTS_TABLE', partition: 'client_id', restorable: true },
  'client-secrets': { variable: 'CLIENT_SECRETS_TABLE', partition: 'client_id', restorable: true },
  'api-keys': {
    variable: 'API_KEYS_TABLE',
    partition: 'key_hash',
    indexes: { 'by-client': { partition: 'client_id', sort: 'created_at', projection: 'all' } },
    restorable: true,
  },
  'limit-overrides': {
    variable: 'LIMIT_OVERRIDES_TABLE',
    partition: 'client_id',
    sort: 'endpoint',
    restorable: true,
  },
  'rate-counters': { variable: 'RATE_COUNTERS_TABLE', partition: 'counter', purged: true, busy: true },
  messages: {
    variable: 'MESSAGES_TABLE',
    partition: 'message_id',
    indexes: {
      'by-client': { partition: 'list_key', sort: 'list_at', projection: 'keys' },
      'by-reference': { partition: 'reference_key', sort: 'list_at', projection: 'keys' },
      'by-carrier-id': { partition: 'carrier_key', projection: 'keys' },
      // One more write unit for each message: "did my customer get it" is what support asks.
      'by-recipient': { partition: 'recipient', sort: 'list_at', projection: 'keys' },
    },
    purged: true,
    restorable: true,
    streamed: true,
    busy: true,
  },
  batches: { variable: 'BATCHES_TABLE', partition: 'batch_id', purged: true },
  'one-time-passwords': { variable: 'ONE_TIME_PASSWORDS_TABLE', partition: 'otp_id', purged: true },
  'webhook-deliveries': {
    variable: 'WEBHOOK_DELIVERIES_TABLE',
    partition: 'delivery_id',
    purged: true,
    restorable: true,
    busy: true,
  },
  // What to look at again, and when: entries go once their rows are finished.
  agenda: { variable: 'AGENDA_TABLE', partition: 'list', sort: 'position', restorable: true, busy: true },
  'activity-log': {
    variable: 'ACTIVITY_LOG_TABLE',
    partition: 'day',
    sort: 'entry_id',
    indexes: {
      'by-kind': { partition: 'kind', sort: 'entry_id', projection: 'all' },
      'by-client': { partition: 'client_id', sort: 'entry_id', projection: 'all' },
    },
    purged: true,
    restorable: true,
  },
  figures: { variable: 'FIGURES_TABLE', partition: 'hour', purged: true },
  'signing-keys': { variable: 'SIGNING_KEYS_TABLE', partition: 'kid' },
  'simulator-outbox': {
    variable: 'SIMULATOR_OUTBOX_TABLE',
    partition: 'recipient',
    sort: 'handed_over',
    indexes: { 'by-day': { partition: 'day', sort: 'handed_over', projection: 'all' } },
    purged: true,
  },
} as const satisfies Record<string, TableShape>;

type Capacity = NonNullable<StageSettings['provisionedCapacity']>;
/** What is left is for the minutes in which more is ordered. */
const targetUtilizationPercent = 70;

export type TableName = keyof typeof shapes;

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

export class Storage extends Construct {
  private readonly tables: ReadonlyMap<TableName, Table>;

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    const simulated = stage.smsCarrier === 'simulator' || stage.whatsappCarrier === 'simulator';
    const tables = new Map<TableName, Table>();
    for (const name of Object.keys(shapes) as TableName[]) {
      // The outbox holds message bodies, so it stands only where no real message is sent.
      if (name === 'simulator-outbox' && !simulated) continue;
      tables.set(name, makeTable(this, name, shapes[name], stage));
    }
    this.tables = tables;
  }

  /** The outbox of the design: each change of a message, in order. */
  get messagesStreamArn(): string {
    const { tableStreamArn } = this.table('messages');
    if (tableStreamArn === undefined) throw new Error('the messages table has no stream');
    return tableStreamArn;
  }

  /** Each table's name, under the name of the stack output that publishes it. */
  names(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.tables].map(([name, table]) => [`${pascalCase(name)}Table`, table.tableName]),
    );
  }

  /** Permits these actions on the rows of a table, and tells the function the table's name. */
  grant(to: GatewayFunction, name: TableName, ...actions: readonly ItemAction[]): void {
    this.allow(to, name, actions, (table) => [table.tableArn]);
  }

  /** Permits queries of one index alone, and tells the function the table's name. */
  grantIndex(to: GatewayFunction, name: TableName, index: string): void {
    this.allow(to, name, ['Query'], (table) => [`${table.tableArn}/index/${index}`]);
  }

  /** Whether a stage has that table. */
  has(name: TableName): boolean {
    return this.tables.has(name);
  }

  private allow(
    to: GatewayFunction,
    name: TableName,
    actions: readonly ItemAction[],
    resources: (table: Table) => string[],
  ): void {
    Grant.addToPrincipal({
      grantee: to,
      actions: actions.map((action) => `dynamodb:${action}`),
      resourceArns: resources(this.table(name)),
    });
    to.setVariables({ [shapes[name].variable]: this.table(name).tableName });
  }

  private table(name: TableName): Table {
    const table = this.tables.get(name);
    if (table === undefined) throw new Error(`this stage has no table ${name}`);
    return table;
  }
}

function makeTable(scope: Construct, name: string, shape: TableShape, stage: StageSettings): Table {
  const capacity = shape.busy === true ? stage.provisionedCapacity : undefined;
  const table = new Table(scope, pascalCase(name), {
    // People open the tables in the console by these names (contract, section 4); the stack's name comes
    // first, so several gateways can stand side by side in one account.
    tableName: `${Stack.of(scope).stackName}-${name}`,
    partitionKey: text(shape.partition),
    ...(shape.sort === undefined ? {} : { sortKey: text(shape.sort) }),
    billingMode: capacity === undefined ? BillingMode.PAY_PER_REQUEST : BillingMode.PROVISIONED,
    ...(capacity === undefined ? {} : { readCapacity: capacity.min, writeCapacity: capacity.min }),
    ...(shape.purged === true ? { timeToLiveAttribute: 'purge_at' } : {}),
    ...(shape.streamed === true ? { stream: StreamViewType.NEW_AND_OLD_IMAGES } : {}),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: shape.restorable === true },
    deletionProtection: stage.keepData,
    removalPolicy: stage.keepData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  for (const [indexName, index] of Object.entries(shape.indexes ?? {})) {
    table.addGlobalSecondaryIndex({
      indexName,
      partitionKey: text(index.partition),
      ...(index.sort === undefined ? {} : { sortKey: text(index.sort) }),
      projectionType: index.projection === 'all' ? ProjectionType.ALL : ProjectionType.KEYS_ONLY,
      ...(capacity === undefined ? {} : { readCapacity: capacity.min, writeCapacity: capacity.min }),
    });
  }
  if (capacity !== undefined) scaleWithTraffic(table, Object.keys(shape.indexes ?? {}), capacity);
  if (shape.restorable !== true) {
    acknowledge(table, {
      'AwsSolutions-DDB3': 'Its rows are made again by themselves, or end within days: nothing to restore.',
    });
  }
  watchThrottles(table, stage);
  return table;
}

/** An index that cannot keep up throttles its table, so each is scaled like it. */
function scaleWithTraffic(table: Table, indexes: readonly string[], capacity: Capacity): void {
  const { min: minCapacity, max: maxCapacity } = capacity;
  const bounds = { minCapacity, maxCapacity };
  const scaled = [
    table.autoScaleWriteCapacity(bounds),
    table.autoScaleReadCapacity(bounds),
    ...indexes.flatMap((index) => [
      table.autoScaleGlobalSecondaryIndexWriteCapacity(index, bounds),
      table.autoScaleGlobalSecondaryIndexReadCapacity(index, bounds),
    ]),
  ];
  for (const attribute of scaled) attribute.scaleOnUtilization({ targetUtilizationPercent });
}

function watchThrottles(table: Table, stage: StageSettings): void {
  for (const metricName of ['ReadThrottleEvents', 'WriteThrottleEvents']) {
    watch(table, metricName, {
      stage,
      metric: table.metric(metricName, { statistic: 'Sum', period: Duration.minutes(5) }),
      says: `The table ${table.node.id} refused requests for a while; they are tried again.`,
      runbook: 'table-throttles',
    });
  }
}

function pascalCase(name: string): string {
  return name.replaceAll(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase());
}
