/** The stack's tables as the template defines them, without the functions that their changes would trigger. */
import type { CreateTableCommandInput, StreamViewType } from '@aws-sdk/client-dynamodb';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Storage } from '../../../lib/capabilities/storage/storage.ts';
import { stages } from '../../../lib/stages/stages.ts';

export interface TableDefinition {
  /** As the connection names it: `limit_overrides`. */
  readonly name: string;
  readonly input: Omit<CreateTableCommandInput, 'TableName'>;
}

interface TemplateTable {
  readonly TableName: string;
  readonly KeySchema: CreateTableCommandInput['KeySchema'];
  readonly AttributeDefinitions: CreateTableCommandInput['AttributeDefinitions'];
  readonly BillingMode: CreateTableCommandInput['BillingMode'];
  readonly GlobalSecondaryIndexes?: CreateTableCommandInput['GlobalSecondaryIndexes'];
  readonly StreamSpecification?: { readonly StreamViewType: StreamViewType };
}

export function synthesizeTables(): TableDefinition[] {
  const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'tables');
  new Storage(stack, 'Storage', stages.local);
  const tables = Template.fromStack(stack).findResources('AWS::DynamoDB::Table');
  return Object.values(tables).map(({ Properties }) => {
    const table = Properties as TemplateTable;
    return {
      name: table.TableName.slice('tables-'.length).replaceAll('-', '_'),
      input: {
        KeySchema: table.KeySchema,
        AttributeDefinitions: table.AttributeDefinitions,
        BillingMode: table.BillingMode,
        GlobalSecondaryIndexes: table.GlobalSecondaryIndexes,
        StreamSpecification: table.StreamSpecification && {
          StreamEnabled: true,
          ...table.StreamSpecification,
        },
      },
    };
  });
}
