/** The setting `globalTables`: which tables it makes global, and what the stacks of the two regions have of them. */
import { describe, expect, it } from '@jest/globals';
import { changedSettingsIn, publishedSettings } from '../../lib/constructs/stack-outputs.ts';
import { replacesTables, stageFrom } from '../../lib/stages/stages.ts';
import { type TableShape, tableShapes } from '../../shared/contract/tables.ts';
import { page } from '../support/docs/pages.ts';
import { resourcesOfType, synthesized, typesIn } from '../support/template/stage-templates.ts';

const home = 'production with global tables';
const standby = 'production as a standby';
const globalType = 'AWS::DynamoDB::GlobalTable';
const prefix = 'messaging-gateway-production-';

const shapes: [string, TableShape][] = Object.entries(tableShapes);
const replicable = shapes.filter(([, shape]) => shape.replicable === true).map(([name]) => prefix + name);

const namesIn = (deployment: string, type: string) =>
  resourcesOfType(deployment, type).map(([, { Properties }]) => String(Properties.TableName));

describe('global tables', () => {
  it('are those that clients are known by, none that starts work by its stream, and none that is counted in', () => {
    expect(replicable).toEqual(
      ['clients', 'client-secrets', 'api-keys', 'webhook-endpoints', 'suppressions'].map(
        (name) => prefix + name,
      ),
    );
    for (const [, shape] of shapes) if (shape.replicable === true) expect(shape.streamed).toBeUndefined();
    const listed = page('docs/deploy.md');
    for (const name of replicable) expect(listed).toContain(`\`${name.replace(prefix, '')}\``);
  });

  it('are made by the stack of the home region, with a replica in each region, restorable and kept', () => {
    const tables = resourcesOfType(home, globalType);
    expect(tables.map(([, { Properties }]) => Properties.TableName)).toEqual(replicable);
    for (const [, { Properties, DeletionPolicy, UpdateReplacePolicy }] of tables) {
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
      expect(Properties.BillingMode).toBe('PAY_PER_REQUEST');
      const replicas = Properties.Replicas as readonly Record<string, unknown>[];
      expect(replicas.map(({ Region }) => Region).toSorted()).toEqual(['eu-west-1', 'us-east-1']);
      for (const replica of replicas)
        expect(replica).toMatchObject({
          DeletionProtectionEnabled: true,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        });
    }
  });

  it('have the keys, indexes and times to live that they have in one region', () => {
    const formOf = ({
      KeySchema,
      GlobalSecondaryIndexes,
      TimeToLiveSpecification,
    }: Record<string, unknown>) =>
      JSON.stringify([KeySchema, GlobalSecondaryIndexes, TimeToLiveSpecification]);
    const single = new Map(
      resourcesOfType('production', 'AWS::DynamoDB::Table').map(([, { Properties }]) => [
        Properties.TableName,
        formOf(Properties),
      ]),
    );
    for (const [, { Properties }] of resourcesOfType(home, globalType))
      expect(formOf(Properties)).toBe(single.get(Properties.TableName));
  });

  it('leave every other table as it is, in both stacks', () => {
    const others = namesIn('production', 'AWS::DynamoDB::Table').filter((name) => !replicable.includes(name));
    expect(namesIn(home, 'AWS::DynamoDB::Table')).toEqual(others);
    expect(namesIn(standby, 'AWS::DynamoDB::Table')).toEqual(others);
  });
});

describe('the standby', () => {
  it('makes no global table: one stack must have all of its replicas', () => {
    expect(typesIn(standby)).not.toContain(globalType);
  });

  it('uses the replicas by their names, and tells them to the command line', () => {
    const { outputs, resources } = synthesized(standby);
    const text = JSON.stringify(resources);
    const toldNames = Object.values(outputs).map(({ Value }) => Value);
    for (const name of replicable) {
      expect(toldNames).toContain(name);
      expect(text).toContain(`:table/${name}"`);
    }
    const rights = (deployment: string) =>
      JSON.stringify(synthesized(deployment).resources)
        .match(/"dynamodb:\w+"/g)
        ?.toSorted();
    expect(rights(standby)).toEqual(rights(home));
  });
});

describe('the setting globalTables', () => {
  const globalTables = { home: 'eu-west-1', replicas: ['us-east-1'] };

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['no region', { globalTables }, 'globalTables: needs the setting region'],
    ['another region', { globalTables, region: 'eu-north-1' }, 'globalTables: needs the setting region'],
    ['a region twice', { globalTables: { ...globalTables, replicas: ['eu-west-1'] } }, 'each region once'],
    ['no replica', { globalTables: { ...globalTables, replicas: [] } }, 'globalTables.replicas'],
  ])('is refused with %s', (_case, settings, fault) => {
    expect(() => stageFrom(settings)).toThrow(fault);
  });

  it('is for a first deploy: tables that exist are neither made global nor turned back', () => {
    const region = 'eu-west-1';
    const recordedBy = (context: Record<string, unknown>) =>
      changedSettingsIn(publishedSettings(stageFrom(context)));
    const [without, withThem] = [{ region }, { region, globalTables }];
    expect(replacesTables(recordedBy(without), stageFrom(withThem))).toBe(true);
    expect(replacesTables(recordedBy(withThem), stageFrom(without))).toBe(true);
    expect(replacesTables(recordedBy(withThem), stageFrom(withThem))).toBe(false);
    const more = { ...globalTables, replicas: ['us-east-1', 'eu-north-1'] };
    expect(replacesTables(recordedBy(withThem), stageFrom({ region, globalTables: more }))).toBe(false);
    expect(replacesTables(recordedBy(without), stageFrom(without))).toBe(false);
  });
});
