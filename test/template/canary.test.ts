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

  it('is rolled back by the alarms on sends that fail or are slow, on all requests and on the work behind them', () => {
    for (const [, { Properties }] of groups) {
      const names = (Properties.AlarmConfiguration.Alarms as readonly { Name: unknown }[]).map(
        ({ Name }) => resources[refOf(Name)]?.Properties.AlarmName,
      );
      expect(names).toEqual(
        ['sends-fail', 'sends-slow', 'requests-fail', 'work-fails'].map(
          (name) => `messaging-gateway-production-${name}`,
        ),
      );
    }
  });
});
