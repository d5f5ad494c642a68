/** The DynamoDB tables, and grants that name each permitted action. */
import { Stack } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  BillingMode,
  type ITable,
  ProjectionType,
  StreamViewType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type TableName, type TableShape, tableShapes } from '../../../shared/contract/tables.ts';
import { variableOf } from '../../../shared/contract/uses.ts';
import { allow } from '../../constructs/allow.ts';
import { encrypted } from '../../constructs/encryption.ts';
import type { GatewayFunction } from '../../constructs/gateway-function.ts';
import { tableRemovalPolicy } from '../../constructs/removal-policy.ts';
import { pascalCase } from '../../constructs/stack-outputs.ts';
import { acknowledge } from '../../constructs/template-rules.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

/** The rest of the capacity is a reserve until auto scaling reacts, which takes minutes. */
const targetUtilizationPercent = 70;

export class Storage extends Construct {
  private readonly tables: ReadonlyMap<TableName, ITable>;

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    const tables = new Map<TableName, ITable>();
    for (const name of Object.keys(tableShapes) as TableName[]) {
      tables.set(name, createTable(this, name, tableShapes[name], stage));
    }
    this.tables = tables;
  }

  /**
   * Lets a function read a table's stream. Returns the properties of an event source mapping that starts at the oldest
   * record.
   */
  grantStream(to: GatewayFunction, name: TableName) {
    const { tableStreamArn } = this.table(name);
    if (tableStreamArn === undefined) throw new Error(`the table ${name} has no stream`);
    allow(
      to,
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'],
      [tableStreamArn],
    ).assertSuccess();
    return {
      target: to.live,
      eventSourceArn: tableStreamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
    };
  }

  /** Returns the tables by name, except the simulator's outbox. */
  byName() {
    return Object.fromEntries(this.tables) as Record<Exclude<TableName, 'simulator-outbox'>, ITable>;
  }

  /** Returns the tables' names, by stack output. */
  names(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...this.tables].map(([name, table]) => [`${pascalCase(name)}Table`, table.tableName]),
    );
  }

  /** Permits actions on a table as `permit` does, and sets the variables that the function needs for it. */
  grant(to: GatewayFunction, name: TableName, actions: readonly string[]): void {
    this.permit(to, name, actions);
    to.setVariables({ [variableOf(name, 'TABLE')]: this.table(name).tableName });
    const { purged }: TableShape = tableShapes[name];
    if (purged === 'retentionDays') to.setSettings(['RETENTION_DAYS']);
  }

  /** Permits actions on a table. `Query by-client` permits queries of this index. */
  permit(to: IGrantable, name: TableName, actions: readonly string[]): void {
    const { tableArn } = this.table(name);
    const ofTable = actions.filter((action) => !action.includes(' '));
    const permitOn = (arn: string, allowed: readonly string[]) =>
      allow(
        to,
        allowed.map((action) => `dynamodb:${action}`),
        [arn],
      );
    if (ofTable.length > 0) permitOn(tableArn, ofTable);
    for (const action of actions) {
      const [query = '', index] = action.split(' ');
      if (index !== undefined) permitOn(`${tableArn}/index/${index}`, [query]);
    }
  }

  private table(name: TableName): ITable {
    const table = this.tables.get(name);
    if (table === undefined) throw new Error(`this stage has no table ${name}`);
    return table;
  }
}

function createTable(scope: Construct, name: string, shape: TableShape, stage: StageSettings): Table {
  const capacity = shape.busy === true ? stage.provisionedCapacity : undefined;
  const table = new Table(scope, pascalCase(name), {
    // The table's name in `shared/contract/tables.ts`, with a prefix so that an account can have several gateways.
    tableName: `${Stack.of(scope).stackName}-${name}`,
    ...keysOf(shape),
    billingMode: capacity === undefined ? BillingMode.PAY_PER_REQUEST : BillingMode.PROVISIONED,
    ...(capacity === undefined ? {} : { readCapacity: capacity.min, writeCapacity: capacity.min }),
    ...(shape.purged !== undefined ? { timeToLiveAttribute: 'purge_at' } : {}),
    ...(shape.streamed === true ? { stream: StreamViewType.NEW_AND_OLD_IMAGES } : {}),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: shape.notRestorable === undefined },
    ...tableEncryption(scope, stage),
    deletionProtection: stage.keepData,
    removalPolicy: tableRemovalPolicy(stage),
  });
  for (const [indexName, index] of Object.entries(shape.indexes ?? {})) {
    table.addGlobalSecondaryIndex({
      indexName,
      ...keysOf(index),
      ...projectionOf(index),
      ...(capacity === undefined ? {} : { readCapacity: capacity.min, writeCapacity: capacity.min }),
    });
  }
  if (capacity !== undefined) scaleWithTraffic(table, Object.keys(shape.indexes ?? {}), capacity);
  if (shape.notRestorable !== undefined) acknowledge(table, { 'AwsSolutions-DDB3': shape.notRestorable });
  return table;
}

function projectionOf({ projection }: NonNullable<TableShape['indexes']>[string]) {
  if (projection === 'all') return { projectionType: ProjectionType.ALL };
  if (projection === 'keys') return { projectionType: ProjectionType.KEYS_ONLY };
  return { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...projection] };
}

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

function keysOf({ partition, sort }: { readonly partition: string; readonly sort?: string }) {
  return { partitionKey: text(partition), ...(sort === undefined ? {} : { sortKey: text(sort) }) };
}

function tableEncryption(scope: Construct, stage: StageSettings) {
  const { encryptionKey } = encrypted(scope, stage);
  return encryptionKey === undefined ? {} : { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey };
}

/** The table and its indexes scale together, because a throttled index throttles its table. */
function scaleWithTraffic(
  table: Table,
  indexes: readonly string[],
  capacity: NonNullable<StageSettings['provisionedCapacity']>,
): void {
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
