import { describe, expect, it } from '@jest/globals';
import { stages } from '../../lib/stages/stages.ts';
import { page } from '../support/docs/pages.ts';
import { resourcesOfType } from '../support/template/stage-templates.ts';

describe('the web ACL', () => {
  const [[, { Properties: acl }]] = resourcesOfType('production', 'AWS::WAFv2::WebACL');
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
