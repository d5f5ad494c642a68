import { describe, expect, it } from '@jest/globals';
import { requestsPerWindow } from '../../lib/capabilities/api/web-acl.ts';
import { stages } from '../../lib/stages/stages.ts';
import { perMinuteMax } from '../../shared/contract/rate-limits-and-caps.ts';
import { page } from '../support/docs/pages.ts';
import { resourcesOfType } from '../support/template/stage-templates.ts';

describe('the web ACL', () => {
  it('blocks floods and addresses of bad reputation, and has no version of a rule group that could end', () => {
    const [[, { Properties: acl }]] = resourcesOfType('production', 'AWS::WAFv2::WebACL');
    const groups = acl.Rules.map(({ Statement }: { Statement: { ManagedRuleGroupStatement?: object } }) => {
      return Statement.ManagedRuleGroupStatement ?? 'flood';
    });
    expect(groups).toEqual([
      'flood',
      {
        VendorName: 'AWS',
        Name: 'AWSManagedRulesAmazonIpReputationList',
        RuleActionOverrides: [{ Name: 'AWSManagedIPDDoSList', ActionToUse: { Count: {} } }],
        ScopeDownStatement: expect.anything(),
      },
    ]);
  });

  it('lets one address send more than any limit that the documentation suggests, and less than the whole API takes', () => {
    const suggested = Array.from(
      page('docs/limits.md').matchAll(/"per_minute": \{ "N": "(\d+)" \}/g),
      ([, limit]) => Number(limit),
    );
    const perMinute = requestsPerWindow / 5;
    expect(suggested.length).toBeGreaterThan(0);
    for (const limit of [...suggested, perMinuteMax]) expect(perMinute).toBeGreaterThan(limit);
    expect(perMinute).toBeLessThan(stages.production.apiThrottle.requestsPerSecond * 60);
  });
});
