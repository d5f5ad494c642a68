/** Checks of the template for what works on the emulator but would fail on AWS. */
import { afterAll, describe, expect, it } from '@jest/globals';
import { resourceMaximum } from '../../lib/gateway-stack.ts';
import { stageFrom, stages } from '../../lib/stages/stages.ts';
import { page } from '../support/docs/pages.ts';
import { physicalNames, rendered } from '../support/template/physical-names.ts';
import {
  deployments,
  forgetTemplates,
  synthesized,
  type TemplateResource,
} from '../support/template/stage-templates.ts';

const everySetting = 'production with everything';
const longestName = 'production under the longest name';
const all = Object.keys(deployments);

afterAll(forgetTemplates);

function ofType(deployment: string, type: string): [string, TemplateResource][] {
  return Object.entries(synthesized(deployment).resources).filter(([, { Type }]) => Type === type);
}

const refOf = (value: unknown): string => (value as { Ref: string }).Ref;

describe.each(all)('a deploy after a destroy, %s', (deployment) => {
  it('does not block the next deploy: the schedule group is deleted, and its name is unique to the stack', () => {
    const [[id, group] = ['', undefined]] = ofType(deployment, 'AWS::Scheduler::ScheduleGroup');
    expect(group?.DeletionPolicy).toBe('Delete');
    const name = (stackId: string) => rendered(group?.Properties.Name, stackId);
    const [first, second] = ['111111111111', '222222222222'].map((end) =>
      name(`arn:aws:cloudformation:eu-west-1:000000000000:stack/s/01234567-89ab-cdef-0123-${end}`),
    );
    expect(first).toMatch(/-111111111111$/);
    expect(second).toMatch(/-222222222222$/);
    // A reference makes a resource depend on the group.
    const schedules = ofType(deployment, 'AWS::Scheduler::Schedule');
    expect(schedules.length).toBeGreaterThan(0);
    for (const [, { Properties }] of schedules) expect(refOf(Properties.GroupName)).toBe(id);
    const told = ofType(deployment, 'AWS::Lambda::Function')
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
      expect(type).toBe('AWS::DynamoDB::Table');
      // CloudFormation imports only resources whose names are literals.
      expect(typeof value).toBe('string');
    }
    if (deployment.startsWith('production')) expect(named).toHaveLength(13);
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
    for (const [, { Properties }] of ofType(deployment, 'AWS::Lambda::Function')) {
      const variables = Object.entries(Properties.Environment?.Variables ?? {});
      // A reference is at most as long as an ARN or a URL.
      const size = variables.reduce(
        (sum, [name, value]) => sum + name.length + (typeof value === 'string' ? value.length : 200),
        0,
      );
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
    for (const [, { Properties }] of ofType(deployment, 'AWS::Lambda::Permission'))
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
        physicalNames(resource).flatMap(({ value, unique }) => (unique ? [rendered(value)] : [])),
      );
    const others = new Set(namesOf(longestName));
    expect(others.size).toBeGreaterThan(13);
    expect(namesOf('production').filter((name) => others.has(name))).toEqual([]);
  });
});

describe('a deploy while an alarm is on', () => {
  it('is permitted by a setting, which applies before the code is shifted', () => {
    const groups = ofType(longestName, 'AWS::CodeDeploy::DeploymentGroup');
    expect(groups.length).toBeGreaterThan(0);
    for (const [, { Properties }] of groups) expect(Properties.AlarmConfiguration.Enabled).toBe(false);
    for (const [, { Properties }] of ofType('production', 'AWS::CodeDeploy::DeploymentGroup'))
      expect(Properties.AlarmConfiguration.Enabled).toBe(true);
    for (const [, alias] of ofType(longestName, 'AWS::Lambda::Alias')) {
      const group = refOf(alias.UpdatePolicy?.CodeDeployLambdaAliasUpdate?.DeploymentGroupName);
      expect(alias.DependsOn).toContain(group);
    }
    expect(page('docs/operate.md')).toContain('-c ignoreAlarmConfiguration=true');
  });
});

describe('a canary', () => {
  const { resources } = synthesized('production');
  const groups = ofType('production', 'AWS::CodeDeploy::DeploymentGroup');

  it.each(groups.map(([id]) => id))('is seen within its five minutes, by every alarm of %s', (id) => {
    const alarms = resources[id]?.Properties.AlarmConfiguration.Alarms as readonly { Name: unknown }[];
    for (const { Name } of alarms) {
      const { Period, Metrics, EvaluationPeriods } = resources[refOf(Name)]?.Properties ?? {};
      const periods = [
        Period,
        ...((Metrics as { MetricStat?: { Period: number } }[] | undefined) ?? []).map(
          (m) => m.MetricStat?.Period,
        ),
      ];
      const seconds = Math.max(...periods.filter((period) => period !== undefined));
      expect(seconds).toBe(60);
      expect(seconds * EvaluationPeriods).toBeLessThanOrEqual(300);
    }
  });

  it.each(groups.map(([id]) => id))(
    'is judged by the answers of its own function, 5xx among them: %s',
    (id) => {
      const [own] = (resources[id]?.Properties.AlarmConfiguration.Alarms ?? []) as readonly {
        Name: unknown;
      }[];
      const alarm = resources[refOf(own?.Name)]?.Properties;
      const stats =
        (alarm?.Metrics as { Id: string; Expression?: string; MetricStat?: { Metric: unknown } }[]) ?? [];
      const [expression] = stats.filter(({ Expression }) => Expression !== undefined);
      expect(expression?.Expression).toBe('SUM([errors, failures]) / calls');
      const functionName = { Ref: functionOf(id) };
      const metric = (name: string) => stats.find((stat) => stat.Id === name)?.MetricStat?.Metric;
      expect(metric('errors')).toMatchObject({
        MetricName: 'Errors',
        Namespace: 'AWS/Lambda',
        Dimensions: [{ Value: functionName }],
      });
      expect(metric('failures')).toEqual({
        MetricName: 'FunctionFailure',
        Namespace: 'MessagingGateway',
        Dimensions: [{ Name: 'function_name', Value: functionName }],
      });
      expect(metric('calls')).toMatchObject({
        MetricName: 'Invocations',
        Dimensions: [{ Value: functionName }],
      });
    },
  );

  function functionOf(group: string): string {
    const alias = ofType('production', 'AWS::Lambda::Alias').find(
      ([, { UpdatePolicy }]) =>
        refOf(UpdatePolicy?.CodeDeployLambdaAliasUpdate?.DeploymentGroupName) === group,
    );
    return refOf(alias?.[1].Properties.FunctionName);
  }
});

describe('the web ACL', () => {
  const [[, { Properties: acl }] = ['', { Properties: {} as Record<string, never> }]] = ofType(
    'production',
    'AWS::WAFv2::WebACL',
  );
  const groups = (
    acl.Rules as unknown as {
      Statement: {
        ManagedRuleGroupStatement?: {
          Name: string;
          RuleActionOverrides: { Name: string; ActionToUse: unknown }[];
        };
      };
    }[]
  ).flatMap(({ Statement: { ManagedRuleGroupStatement: group } }) => (group === undefined ? [] : [group]));

  /** The rules of each list that AWS says block, as of 2026-11. */
  const rules: Readonly<Record<string, readonly string[]>> = {
    AWSManagedRulesAmazonIpReputationList: [
      'AWSManagedIPReputationList',
      'AWSManagedReconnaissanceList',
      'AWSManagedIPDDoSList',
    ],
    AWSManagedRulesKnownBadInputsRuleSet: [
      ...['HEADER', 'BODY', 'URIPATH', 'QUERYSTRING'].flatMap((part) => [
        `JavaDeserializationRCE_${part}`,
        `Log4JRCE_${part}`,
      ]),
      'Host_localhost_HEADER',
      'PROPFIND_METHOD',
      'ExploitablePaths_URIPATH',
      'ReactJSRCE_BODY',
    ],
    AWSManagedRulesCommonRuleSet: [
      'NoUserAgent_HEADER',
      'UserAgent_BadBots_HEADER',
      ...['QUERYSTRING', 'Cookie_HEADER', 'BODY', 'URIPATH'].map((part) => `SizeRestrictions_${part}`),
      ...['BODY', 'COOKIE', 'URIPATH', 'QUERYARGUMENTS'].flatMap((part) => [
        `EC2MetaDataSSRF_${part}`,
        `CrossSiteScripting_${part}`,
      ]),
      ...['QUERYARGUMENTS', 'URIPATH', 'BODY'].flatMap((part) => [
        `GenericLFI_${part}`,
        `GenericRFI_${part}`,
      ]),
      ...['URIPATH', 'QUERYARGUMENTS'].map((part) => `RestrictedExtensions_${part}`),
    ],
  };

  it('blocks by address, method, host, path and our own headers; never by body, query, cookie or a missing User-Agent', () => {
    const blocking = groups.flatMap(({ Name, RuleActionOverrides }) => {
      const counted = new Set(RuleActionOverrides.map((override) => override.Name));
      for (const { ActionToUse } of RuleActionOverrides) expect(ActionToUse).toEqual({ Count: {} });
      return (rules[Name] ?? [`${Name} is not known here`]).filter((rule) => !counted.has(rule));
    });
    expect(blocking.toSorted()).toEqual([
      'AWSManagedIPReputationList',
      'AWSManagedReconnaissanceList',
      'CrossSiteScripting_URIPATH',
      'EC2MetaDataSSRF_URIPATH',
      'ExploitablePaths_URIPATH',
      'GenericLFI_URIPATH',
      'GenericRFI_URIPATH',
      'Host_localhost_HEADER',
      'JavaDeserializationRCE_HEADER',
      'JavaDeserializationRCE_URIPATH',
      'Log4JRCE_HEADER',
      'Log4JRCE_URIPATH',
      'PROPFIND_METHOD',
      'RestrictedExtensions_URIPATH',
      'SizeRestrictions_URIPATH',
      'UserAgent_BadBots_HEADER',
    ]);
  });

  it('lets one address send more than any limit that the documentation suggests, and less than the whole API takes', () => {
    const suggested = Array.from(
      page('docs/limits.md').matchAll(/"per_minute": \{ "N": "(\d+)" \}/g),
      ([, limit]) => Number(limit),
    );
    const perMinute = stages.production.webAclRequestsPerAddress / 5;
    expect(suggested.length).toBeGreaterThan(0);
    // Above 30,000 a minute a client's counter is sharded.
    for (const limit of [...suggested, 30_000]) expect(perMinute).toBeGreaterThan(limit);
    expect(perMinute).toBeLessThan(stages.production.apiThrottle.requestsPerSecond * 60);
  });
});

describe('the topic of receipts', () => {
  it('is a stack output, and the permission to publish exists before the configuration set', () => {
    const [[policy] = ['']] = ofType('production', 'AWS::SNS::TopicPolicy');
    const [[, configurationSet] = ['', undefined]] = ofType('production', 'AWS::SMSVOICE::ConfigurationSet');
    const [[topic] = ['']] = ofType('production', 'AWS::SNS::Topic');
    expect(synthesized('production').outputs.ReceiptsTopicArn?.Value).toEqual({ Ref: topic });
    expect(configurationSet?.DependsOn).toContain(policy);
  });

  it('accepts receipts of the two carriers, for this account', () => {
    const statements = ofType('production', 'AWS::SNS::TopicPolicy').flatMap(
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
    const alarmed = ofType(everySetting, 'AWS::SNS::TopicPolicy').find(([id]) =>
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
    for (const [, { Properties }] of ofType('production', 'AWS::Lambda::Function'))
      expect(Properties.ReservedConcurrentExecutions).toBeUndefined();
    const [, setting = ''] = /-c 'concurrency=(\{[^']+\})'/.exec(page('docs/deploy.md')) ?? [];
    const { concurrency } = stageFrom({ concurrency: setting });
    expect(Object.values(concurrency)).toEqual([2, 2, 2, 2]);
  });

  it('has documented needs: the sum of the concurrency of all queues', () => {
    const [, stated = '0'] =
      /the queues alone take up to (\d+) executions at once/.exec(
        page('docs/deploy.md').replaceAll(/\s+/g, ' '),
      ) ?? [];
    const sum = Object.values(stages.production.concurrency).reduce((total, each) => total + each, 0);
    expect(Number(stated)).toBe(sum);
  });
});
