/** Checks of the template for what works on the emulator but would fail on AWS. */
import { describe, expect, it } from '@jest/globals';
import { stageFrom, stages } from '../../lib/stages/stages.ts';
import { page } from '../support/docs/pages.ts';
import { deployments, resourceMaximum } from '../support/template/deployments.ts';
import { physicalNames, rendered } from '../support/template/physical-names.ts';
import { refOf, resourcesOfType, synthesized, typesIn } from '../support/template/stage-templates.ts';

const everySetting = 'production with everything';
const longestName = 'production under the longest name';
const all = Object.keys(deployments);
const tableType = 'AWS::DynamoDB::Table';

describe.each(all)('a deploy after a destroy, %s', (deployment) => {
  it('does not block the next deploy: the schedule group is deleted, and its name is unique to the stack', () => {
    const [[id, group]] = resourcesOfType(deployment, 'AWS::Scheduler::ScheduleGroup');
    expect(group?.DeletionPolicy).toBe('Delete');
    const name = (stackId: string) => rendered(group?.Properties.Name, stackId);
    const [first, second] = ['111111111111', '222222222222'].map((end) =>
      name(`arn:aws:cloudformation:eu-west-1:000000000000:stack/s/01234567-89ab-cdef-0123-${end}`),
    );
    expect(first).toMatch(/-111111111111$/);
    expect(second).toMatch(/-222222222222$/);
    // A reference makes a resource depend on the group.
    const schedules = resourcesOfType(deployment, 'AWS::Scheduler::Schedule');
    expect(schedules.length).toBeGreaterThan(0);
    for (const [, { Properties }] of schedules) expect(refOf(Properties.GroupName)).toBe(id);
    const told = resourcesOfType(deployment, 'AWS::Lambda::Function')
      .map(([, { Properties }]) => Properties.Environment.Variables.SCHEDULE_GROUP)
      .filter((variable) => variable !== undefined);
    expect(told.length).toBeGreaterThan(0);
    for (const variable of told) expect(refOf(variable)).toBe(id);
  });

  it('finds only tables under the names that it needs, which it can import', () => {
    const { resources } = synthesized(deployment);
    const kept = Object.entries(resources).filter(
      ([, { DeletionPolicy }]) => DeletionPolicy !== undefined && DeletionPolicy !== 'Delete',
    );
    const named = kept.flatMap(([id, resource]) =>
      physicalNames(resource).map(({ value }) => ({ id, type: resource.Type, value })),
    );
    for (const { type, value } of named) {
      expect(type).toBe(tableType);
      // CloudFormation imports only resources whose names are literals.
      expect(typeof value).toBe('string');
    }
    if (deployment.startsWith('production'))
      expect(named).toHaveLength(typesIn(deployment).filter((type) => type === tableType).length);
    else expect(kept).toEqual([]);
  });

  it('leaves only tables of a first deploy that fails, which are protected', () => {
    for (const [, { Type, DeletionPolicy }] of Object.entries(synthesized(deployment).resources)) {
      const ofData = ['AWS::KMS::Key', 'AWS::SecretsManager::Secret', 'AWS::Logs::LogGroup'].includes(Type);
      if (ofData) expect(['Delete', 'RetainExceptOnCreate']).toContain(DeletionPolicy);
    }
  });

  it('has fewer resources than CloudFormation allows, with room for more', () => {
    expect(Object.keys(synthesized(deployment).resources).length).toBeLessThanOrEqual(resourceMaximum);
  });

  it('gives no function more than the 4 KB of variables that Lambda allows', () => {
    const tables = new Map(
      resourcesOfType(deployment, 'AWS::DynamoDB::Table').map(([id, { Properties }]) => [
        id,
        String(Properties.TableName),
      ]),
    );
    // Any other reference is at most as long as an ARN or a URL.
    const lengthOf = (value: unknown): number =>
      (typeof value === 'string' ? value : tables.get(refOf(value)))?.length ?? 200;
    for (const [, { Properties }] of resourcesOfType(deployment, 'AWS::Lambda::Function')) {
      const variables = Object.entries(Properties.Environment?.Variables ?? {});
      const size = variables.reduce((sum, [name, value]) => sum + name.length + lengthOf(value), 0);
      expect(size).toBeLessThan(4096);
    }
  });

  it('lets services act only for this account', () => {
    const { resources } = synthesized(deployment);
    const documents = Object.values(resources).flatMap(({ Type, Properties }) => {
      if (Type === 'AWS::KMS::Key') return [Properties.KeyPolicy];
      if (Type === 'AWS::IAM::Role') {
        const { Statement } = Properties.AssumeRolePolicyDocument;
        // Lambda, CodeDeploy and API Gateway assume a role only for resources of this account.
        const confusable = JSON.stringify(Statement).includes('scheduler.amazonaws.com');
        return confusable ? [Properties.AssumeRolePolicyDocument] : [];
      }
      return /Policy$/.test(Type)
        ? [Properties.PolicyDocument ?? Properties.ResourcePolicy].filter(Boolean)
        : [];
    });
    const toServices = documents
      .flatMap(({ Statement }) => Statement as readonly Record<string, unknown>[])
      .filter(({ Effect, Principal }) => Effect === 'Allow' && JSON.stringify(Principal).includes('Service'));
    expect(toServices.length).toBeGreaterThan(0);
    for (const { Condition } of toServices)
      expect(JSON.stringify(Condition)).toMatch(/aws:Source(Account|Arn)/);
    for (const [, { Properties }] of resourcesOfType(deployment, 'AWS::Lambda::Permission'))
      expect(Properties.SourceArn ?? Properties.SourceAccount).toBeDefined();
  });
});

describe('names', () => {
  it('fit under the longest stack name that a stage may have', () => {
    for (const [id, resource] of Object.entries(synthesized(longestName).resources)) {
      for (const { property, value, longest, pattern } of physicalNames(resource)) {
        const name = rendered(value);
        expect(`${id} ${property}: ${name.length <= longest}`).toBe(`${id} ${property}: true`);
        expect(name).toMatch(pattern);
      }
    }
  });

  it('are refused where they would not', () => {
    const { stackName } = deployments[longestName] ?? {};
    expect(() => stageFrom({ stackName: String(stackName) })).not.toThrow();
    expect(() => stageFrom({ stackName: `${stackName}g` })).toThrow('stackName: 51 characters at most');
  });

  it('are never the same in two gateways of one account', () => {
    const namesOf = (deployment: string): string[] =>
      Object.values(synthesized(deployment).resources).flatMap((resource) =>
        physicalNames(resource).flatMap(({ value, unique }) =>
          unique === undefined ? [] : [rendered(value)],
        ),
      );
    const others = new Set(namesOf(longestName));
    expect(others.size).toBeGreaterThan(13);
    expect(namesOf('production').filter((name) => others.has(name))).toEqual([]);
  });
});

describe.each(all)('a second region of the account, %s', (deployment) => {
  it('gets other names for whatever has a name that is unique in the account', () => {
    const { resources } = synthesized(deployment);
    const names = Object.values(resources).flatMap((resource) =>
      physicalNames(resource).filter(({ unique }) => unique === 'in an account'),
    );
    // With the setting `region` the template has it as a literal.
    for (const { value } of names) {
      const { region } = deployments[deployment] ?? {};
      if (region !== undefined) expect(value).toContain(region);
      else expect(rendered(value, undefined, 'us-east-1')).not.toBe(rendered(value));
    }
  });

  it('has no resource of a global service with a name', () => {
    const { resources } = synthesized(deployment);
    for (const [id, { Type, Properties }] of Object.entries(resources)) {
      if (!/^AWS::(IAM|S3|CloudFront|Organizations)::/.test(Type)) continue;
      const named = Object.keys(Properties ?? {}).filter((property) => property.endsWith('Name'));
      expect(`${id}: ${named}`).toBe(`${id}: `);
    }
  });
});

describe('the topic of receipts', () => {
  it('has a name that a new deploy keeps, is a stack output, and permits publishing before the configuration set exists', () => {
    const [[policy]] = resourcesOfType('production', 'AWS::SNS::TopicPolicy');
    const [[, configurationSet]] = resourcesOfType('production', 'AWS::SMSVOICE::ConfigurationSet');
    const [[topic, { Properties }]] = resourcesOfType('production', 'AWS::SNS::Topic');
    expect(Properties.TopicName).toBe('messaging-gateway-production-receipts');
    expect(synthesized('production').outputs.ReceiptsTopicArn?.Value).toEqual({ Ref: topic });
    expect(configurationSet?.DependsOn).toContain(policy);
  });

  it('accepts receipts of the two carriers, for this account', () => {
    const statements = resourcesOfType('production', 'AWS::SNS::TopicPolicy').flatMap(
      ([, { Properties }]) =>
        Properties.PolicyDocument.Statement as {
          Effect: string;
          Principal: { Service?: string };
          Condition: unknown;
        }[],
    );
    const allowed = statements.filter(({ Effect }) => Effect === 'Allow');
    expect(allowed.map(({ Principal }) => Principal.Service).toSorted()).toEqual([
      'sms-voice.amazonaws.com',
      'social-messaging.amazonaws.com',
    ]);
    for (const { Condition } of allowed)
      expect(Condition).toMatchObject({ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } });
  });
});

describe('alarms', () => {
  it('may publish to their topic, whose TLS policy replaces the default one', () => {
    const alarmed = resourcesOfType(everySetting, 'AWS::SNS::TopicPolicy').find(([id]) =>
      id.startsWith('AlarmNotifications'),
    );
    const allowed = (
      (alarmed?.[1].Properties.PolicyDocument.Statement ?? []) as { Effect: string; Principal: unknown }[]
    ).filter(({ Effect }) => Effect === 'Allow');
    expect(allowed.map(({ Principal }) => Principal)).toEqual([{ Service: 'cloudwatch.amazonaws.com' }]);
  });
});

describe('a new account, with ten executions at once', () => {
  it('can be deployed to: nothing is reserved, and queues can have the least concurrency that AWS allows', () => {
    for (const [, { Properties }] of resourcesOfType('production', 'AWS::Lambda::Function'))
      expect(Properties.ReservedConcurrentExecutions).toBeUndefined();
    const [setting = ''] = /\{ "concurrency": .+\}$/m.exec(page('docs/deploy.md')) ?? [];
    const { concurrency } = stageFrom(JSON.parse(setting));
    expect(Object.values(concurrency)).toEqual([2, 2, 2, 2, 2, 2]);
  });

  it('has documented needs: the sum of the concurrency of all queues', () => {
    const [, stated = '0'] =
      /queue consumers alone use up to (\d+) concurrent executions/.exec(
        page('docs/deploy.md').replaceAll(/\s+/g, ' '),
      ) ?? [];
    const sum = Object.values(stages.production.concurrency).reduce((total, each) => total + each, 0);
    expect(Number(stated)).toBe(sum);
  });
});
