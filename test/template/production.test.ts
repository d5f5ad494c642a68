import { describe, expect, it } from '@jest/globals';
import { type TableShape, tableShapes } from '../../shared/contract/tables.ts';
import { deployments } from '../support/template/deployments.ts';
import { lossesIn } from '../support/template/production-losses.ts';
import {
  resourcesOfType,
  synthesized,
  type TemplateResource,
  typesIn,
} from '../support/template/stage-templates.ts';
import { productionQueues, productionState } from './production-state.ts';

const complete = 'production with everything';

describe.each(Object.keys(deployments))('the rules of cdk-nag, %s', (name) => {
  it('find nothing that is not acknowledged with a reason', () => {
    expect(synthesized(name).findings).toEqual([]);
  });
});

describe('the data of production', () => {
  it('is neither dropped nor replaced: tables, keys and secrets stay the same', () => {
    expect(lossesIn(synthesized('production').resources)).toEqual([]);
  });

  it('includes what waits in its queues, and its topics: both keep their logical ids', () => {
    const ids = ['AWS::SQS::Queue', 'AWS::SNS::Topic']
      .flatMap((type) => resourcesOfType('production', type))
      .map(([id]) => id);
    expect(ids.toSorted()).toEqual(productionQueues.toSorted());
  });

  type Properties = TemplateResource['Properties'];
  const withProperty = (resource: TemplateResource, change: Properties): TemplateResource => ({
    ...resource,
    Properties: { ...resource.Properties, ...change },
  });

  it.each<[string, string, (resource: TemplateResource) => TemplateResource | undefined, string]>([
    ['a table that is dropped', 'StorageApiKeys', () => undefined, 'is dropped'],
    ['a token key that is dropped', 'TokenKey', () => undefined, 'is dropped'],
    ['a secret that is dropped', 'OtpSecret', () => undefined, 'is dropped'],
    [
      'a table under another name',
      'StorageClients6',
      (table) => withProperty(table, { TableName: 'messaging-gateway-live-clients' }),
      'is replaced by another',
    ],
    [
      'a table with another key',
      'StorageMessages',
      (table) => withProperty(table, { KeySchema: [{ AttributeName: 'client_id', KeyType: 'HASH' }] }),
      'is replaced by another',
    ],
    [
      'a key whose type is another',
      'StorageActivityLog',
      (table) =>
        withProperty(table, { AttributeDefinitions: [{ AttributeName: 'day', AttributeType: 'N' }] }),
      'has a key that is no string',
    ],
    [
      'another kind of token key',
      'TokenKey',
      (key) => withProperty(key, { KeySpec: 'RSA_2048' }),
      'is replaced by another',
    ],
    [
      'another value of the secret',
      'OtpSecret',
      (secret) => withProperty(secret, { GenerateSecretString: { PasswordLength: 32 } }),
      'is replaced by another',
    ],
    [
      'a table that goes with the stack',
      'StorageLimitOverrides',
      (table) => ({ ...table, DeletionPolicy: 'Delete' }),
      'goes with the stack',
    ],
    [
      'a key that goes where it is replaced',
      'TokenKey',
      (key) => ({ ...key, UpdateReplacePolicy: 'Delete' }),
      'goes where it is replaced',
    ],
    [
      'a table that can be deleted by hand',
      'StorageWebhookDeliveries',
      (table) => withProperty(table, { DeletionProtectionEnabled: false }),
      'can be deleted by hand',
    ],
    [
      'a table that cannot be restored',
      'StorageClientSecrets',
      (table) => withProperty(table, { PointInTimeRecoverySpecification: undefined }),
      'cannot be restored',
    ],
    [
      'rows that are purged by another attribute',
      'StorageMessages',
      (table) =>
        withProperty(table, { TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true } }),
      'has its rows purged by expires_at',
    ],
  ])('reports %s', (_what, prefix, change, loss) => {
    const { [prefix]: id = prefix } = Object.fromEntries(
      Object.keys(productionState).map((known) => [known.slice(0, prefix.length), known]),
    );
    const { [id]: resource, ...others } = synthesized('production').resources;
    if (resource === undefined) throw new Error(`production has no ${prefix}`);
    const changed = change(resource);
    expect(lossesIn(changed === undefined ? others : { ...others, [id]: changed })).toEqual([
      `${id} ${loss}`,
    ]);
  });

  it('can be restored, unless it is worthless within a month: also what is added later', () => {
    for (const [name, shape] of Object.entries<TableShape>(tableShapes)) {
      const keptForMonths = shape.purged === 'retentionDays' && name !== 'simulator-outbox';
      if (keptForMonths) expect(`${name}: ${shape.notRestorable}`).toBe(`${name}: undefined`);
    }
    const restorable = resourcesOfType('production', 'AWS::DynamoDB::Table')
      .filter(([, { Properties }]) => Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled)
      .map(([, { Properties }]) => String(Properties.TableName).replace('messaging-gateway-production-', ''));
    expect(restorable).toEqual(
      expect.arrayContaining(['messages', 'batches', 'message-usage', 'whatsapp-windows']),
    );
  });

  it('reports a changed logical id', () => {
    const [[id] = ['']] = Object.entries(productionState);
    const { [id]: table, ...others } = synthesized('production').resources;
    if (table === undefined) throw new Error(`production has no ${id}`);
    expect(lossesIn({ ...others, StorageCustomers: table })).toEqual([
      `${id} is dropped`,
      'StorageCustomers is not listed in production-state.ts',
    ]);
  });

  it('gets a second token key, and both may sign during the deploy', () => {
    const [first] = resourcesOfType('production', 'AWS::KMS::Key').map(([id]) => id);
    const both = resourcesOfType(complete, 'AWS::KMS::Key').map(([id]) => id);
    expect(both).toHaveLength(2);
    expect(both[0]).toBe(first);
    const policies = JSON.stringify(resourcesOfType(complete, 'AWS::IAM::Role'));
    for (const id of both) expect(policies).toContain(`"${id}"`);
    const issuer = resourcesOfType(complete, 'AWS::Lambda::Function').find(([id]) =>
      id.startsWith('ApiIssueToken'),
    );
    expect(issuer?.[1].Properties.Environment.Variables.TOKEN_SIGNING_KEY_ID).toEqual({ Ref: both[1] });
  });
});

describe('logs', () => {
  it('have a retention for every log, and there is no bucket, function URL or public topic', () => {
    for (const name of Object.keys(deployments)) {
      for (const [, { Properties }] of resourcesOfType(name, 'AWS::Logs::LogGroup'))
        expect(Properties.RetentionInDays).toBeGreaterThan(0);
      for (const type of ['AWS::S3::Bucket', 'AWS::Lambda::Url']) expect(typesIn(name)).not.toContain(type);
      if (!typesIn(name).includes('AWS::SNS::TopicPolicy')) continue;
      for (const [, { Properties }] of resourcesOfType(name, 'AWS::SNS::TopicPolicy')) {
        for (const statement of Properties.PolicyDocument.Statement)
          if (statement.Effect === 'Allow') expect(JSON.stringify(statement.Principal)).not.toContain('*');
      }
    }
  });
});

describe('provisioned capacity', () => {
  it('is for every table and index that every message uses, and scales with traffic', () => {
    const billed = resourcesOfType(complete, 'AWS::DynamoDB::Table').filter(
      ([, { Properties }]) => Properties.BillingMode !== 'PAY_PER_REQUEST',
    );
    expect(billed.map(([, { Properties }]) => Properties.TableName)).toEqual([
      'messaging-gateway-production-rate-counters',
      'messaging-gateway-production-messages',
      'messaging-gateway-production-webhook-deliveries',
      'messaging-gateway-production-suppressions',
    ]);
    const indexes = billed.flatMap(
      ([, { Properties }]) => (Properties.GlobalSecondaryIndexes as unknown[] | undefined) ?? [],
    );
    const scaled = resourcesOfType(complete, 'AWS::ApplicationAutoScaling::ScalableTarget');
    expect(scaled).toHaveLength(2 * (billed.length + indexes.length));
    for (const [, { Properties }] of scaled)
      expect(Properties).toMatchObject({ MinCapacity: 100, MaxCapacity: 4000 });
  });

  it('is off by default: tables are on demand', () => {
    for (const [, { Properties }] of resourcesOfType('production', 'AWS::DynamoDB::Table'))
      expect(Properties.BillingMode).toBe('PAY_PER_REQUEST');
  });
});
