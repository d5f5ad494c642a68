/** What a table and a global table have in common: the name and the keys. */
import { Stack } from 'aws-cdk-lib';
import { type Attribute, AttributeType } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { TableShape } from '../../../shared/contract/tables.ts';

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

/**
 * The contract names the tables (section 4). Their names start with the stack's, so that an account can have several
 * gateways.
 */
export function nameOfTable(scope: Construct, name: string): string {
  return `${Stack.of(scope).stackName}-${name}`;
}

export function keysOf({ partition, sort }: Pick<TableShape, 'partition' | 'sort'>) {
  return { partitionKey: text(partition), ...(sort === undefined ? {} : { sortKey: text(sort) }) };
}
