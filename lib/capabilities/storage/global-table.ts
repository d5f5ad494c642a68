/**
 * The tables that clients are known by, where the setting `globalTables` is on. The stack of the home region creates them,
 * with their replicas: CloudFormation cannot manage one global table from several stacks. The stacks of the other regions
 * find their replicas by name.
 */
import { Stack } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  Billing,
  type ITableV2,
  ProjectionType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { TableShape } from '../../../shared/contract/tables.ts';
import { tableRemovalPolicy } from '../../constructs/removal-policy.ts';
import { pascalCase } from '../../constructs/stack-outputs.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';

type Regions = NonNullable<StageSettings['globalTables']>;

export function createGlobalTable(
  scope: Construct,
  name: string,
  shape: TableShape,
  stage: StageSettings,
  { home, replicas }: Regions,
): ITableV2 | TableV2 {
  const tableName = nameOfTable(scope, name);
  if (Stack.of(scope).region !== home) return TableV2.fromTableName(scope, pascalCase(name), tableName);
  return new TableV2(scope, pascalCase(name), {
    tableName,
    ...keysOf(shape),
    // What few people change needs no provisioned capacity, which each replica would need too.
    billing: Billing.onDemand(),
    ...(shape.purged === undefined ? {} : { timeToLiveAttribute: 'purge_at' }),
    globalSecondaryIndexes: Object.entries(shape.indexes ?? {}).map(([indexName, index]) => ({
      indexName,
      ...keysOf(index),
      projectionType: index.projection === 'all' ? ProjectionType.ALL : ProjectionType.KEYS_ONLY,
    })),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: stage.keepData,
    removalPolicy: tableRemovalPolicy(stage),
    replicas: replicas.map((region) => ({ region })),
  });
}

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

/**
 * The contract names the tables (section 4). Their names start with the stack's, so that an account can have several
 * gateways.
 */
export function nameOfTable(scope: Construct, name: string): string {
  return `${Stack.of(scope).stackName}-${name}`;
}

/** What a table and a global table have in common: the name and the keys. */
export function keysOf({ partition, sort }: Pick<TableShape, 'partition' | 'sort'>) {
  return { partitionKey: text(partition), ...(sort === undefined ? {} : { sortKey: text(sort) }) };
}
