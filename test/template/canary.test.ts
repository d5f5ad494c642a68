import { describe, expect, it } from '@jest/globals';
import { page } from '../support/docs/pages.ts';
import { refOf, resourcesOfType, synthesized } from '../support/template/stage-templates.ts';

const longestName = 'production under the longest name';

describe('a deploy while an alarm is on', () => {
  it('is permitted by a setting, which applies before the code is shifted', () => {
    const groups = resourcesOfType(longestName, 'AWS::CodeDeploy::DeploymentGroup');
    expect(groups.length).toBeGreaterThan(0);
    for (const [, { Properties }] of groups) expect(Properties.AlarmConfiguration.Enabled).toBe(false);
    for (const [, { Properties }] of resourcesOfType('production', 'AWS::CodeDeploy::DeploymentGroup'))
      expect(Properties.AlarmConfiguration.Enabled).toBe(true);
    for (const [, alias] of resourcesOfType(longestName, 'AWS::Lambda::Alias')) {
      if (alias.UpdatePolicy === undefined) continue;
      const group = refOf(alias.UpdatePolicy?.CodeDeployLambdaAliasUpdate?.DeploymentGroupName);
      expect(alias.DependsOn).toContain(group);
    }
    expect(page('docs/operate.md')).toContain('-c ignoreAlarmConfiguration=true');
  });
});

describe('a canary', () => {
  const { resources } = synthesized('production');
  const groups = resourcesOfType('production', 'AWS::CodeDeploy::DeploymentGroup');

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
    'is judged by the responses of its own function, 5xx among them: %s',
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
    const alias = resourcesOfType('production', 'AWS::Lambda::Alias').find(
      ([, { UpdatePolicy }]) =>
        UpdatePolicy !== undefined &&
        refOf(UpdatePolicy.CodeDeployLambdaAliasUpdate?.DeploymentGroupName) === group,
    );
    return refOf(alias?.[1].Properties.FunctionName);
  }
});
