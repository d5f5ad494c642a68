/** What the emulator has not, by its template: canaries, the web ACL, the API's own name, traces and its log. */

import { describe, expect, it } from '@jest/globals';
import { apiBodyOf, stageVariablesOf } from '../support/template/api-body.ts';
import { deployments } from '../support/template/deployments.ts';
import { statementsOf } from '../support/template/function-actions.ts';
import {
  refOf,
  resourcesOfType,
  synthesized,
  type TemplateResource,
  typesIn,
} from '../support/template/stage-templates.ts';

const complete = 'production with everything';

function the(name: string, type: string): [string, TemplateResource] {
  const [only, ...others] = resourcesOfType(name, type);
  if (others.length > 0) throw new Error(`${name} has more than one ${type}`);
  return only;
}

describe('new code in production', () => {
  const { resources } = synthesized('production');
  const aliases = resourcesOfType('production', 'AWS::Lambda::Alias');

  const canaried = aliases.filter(([, { UpdatePolicy }]) => UpdatePolicy !== undefined);
  const fileOf = (id: string): string =>
    String(resources[id]?.Properties.Description).split(': ').at(-1) ?? '';

  it('takes a tenth of the calls of each function that messages pass for five minutes; others switch at once', () => {
    const withCanary = canaried.map(([, { Properties }]) => fileOf(refOf(Properties.FunctionName)));
    expect([...new Set(withCanary)].toSorted()).toEqual([
      'deliver-webhook',
      'dispatch-message',
      'issue-token',
      'record-receipt',
      'relay-changes',
      'send-bulk-sms',
      'send-otp',
      'send-sms',
      'send-whatsapp',
      'verify-otp',
    ]);
    const [application] = the('production', 'AWS::CodeDeploy::Application');
    const groups = canaried.map(([, { UpdatePolicy }]) => UpdatePolicy?.CodeDeployLambdaAliasUpdate);
    expect(new Set(groups.map((group) => refOf(group?.DeploymentGroupName))).size).toBe(canaried.length);
    for (const group of groups) {
      expect(refOf(group?.ApplicationName)).toBe(application);
      expect(resources[refOf(group?.DeploymentGroupName)]?.Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        DeploymentStyle: { DeploymentOption: 'WITH_TRAFFIC_CONTROL', DeploymentType: 'BLUE_GREEN' },
      });
    }
  });

  it('has at most six canaries at the same time, however many functions change: more are throttled', () => {
    const canaries = new Set(canaried.map(([id]) => id));
    const waitsFor = (id: string): string[] =>
      [resources[id]?.DependsOn ?? []].flat().filter((other) => canaries.has(other));
    /** The number of canaries that have ended one after the other before this one begins. */
    const waveOf = (id: string): number => Math.max(0, ...waitsFor(id).map((other) => 1 + waveOf(other)));
    const waves = Map.groupBy(canaries, waveOf);
    for (const [, together] of waves) expect(together.length).toBeLessThanOrEqual(6);
    expect(waves.size).toBeLessThanOrEqual(2);
  });

  it.each(canaried.map(([id]) => id))('goes back when an alarm goes off: %s', (id) => {
    const { DeploymentGroupName } = resources[id]?.UpdatePolicy?.CodeDeployLambdaAliasUpdate ?? {};
    expect(resources[refOf(DeploymentGroupName)]?.Properties).toMatchObject({
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      },
      AlarmConfiguration: { Enabled: true },
    });
  });

  it('is called only by its alias if it has one: by the API, the queues, the stream and the schedules', () => {
    const live = new Set(aliases.map(([id]) => id));
    const called = [
      ...Object.values(stageVariablesOf('production')),
      ...resourcesOfType('production', 'AWS::Lambda::EventSourceMapping').map(
        ([, { Properties }]) => Properties.FunctionName,
      ),
      ...resourcesOfType('production', 'AWS::Scheduler::Schedule').map(
        ([, { Properties }]) => Properties.Target.Arn,
      ),
      ...resourcesOfType('production', 'AWS::Lambda::Permission').map(
        ([, { Properties }]) => Properties.FunctionName,
      ),
    ];
    const withAlias = new Set(aliases.map(([, { Properties }]) => refOf(Properties.FunctionName)));
    const refs = called.flatMap((callee) =>
      Array.from(JSON.stringify(callee).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g), ([, id = '']) => id),
    );
    expect(new Set(refs.filter((id) => live.has(id)))).toEqual(live);
    expect(refs.filter((id) => withAlias.has(id))).toEqual([]);
  });

  it('is deployed at once on a stage without canaries', () => {
    expect(typesIn('no settings')).not.toContain('AWS::Lambda::Alias');
    expect(typesIn('no settings')).not.toContain('AWS::CodeDeploy::DeploymentGroup');
  });
});

describe('the web ACL of production', () => {
  const [aclId, { Properties: acl }] = the('production', 'AWS::WAFv2::WebACL');
  const rules = acl.Rules as readonly {
    Name: string;
    Priority: number;
    OverrideAction?: unknown;
    Statement: { ManagedRuleGroupStatement: { Name: string; Version?: string } };
  }[];

  it('protects the stage of the API', () => {
    const [, { Properties }] = the('production', 'AWS::WAFv2::WebACLAssociation');
    const [stage] = the('production', 'AWS::ApiGateway::Stage');
    expect(Properties.WebACLArn).toEqual({ 'Fn::GetAtt': [aclId, 'Arn'] });
    expect(JSON.stringify(Properties.ResourceArn)).toContain(`"/stages/",{"Ref":"${stage}"}`);
    expect([acl.Scope, acl.DefaultAction]).toEqual(['REGIONAL', { Allow: {} }]);
  });

  it("checks the rate of an address first, with the error body and headers of the contract's 429", () => {
    const flood = acl.Rules[0];
    expect(flood).toMatchObject({
      Priority: 0,
      Statement: {
        RateBasedStatement: { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: 300_000 },
      },
    });
    const { ResponseCode, CustomResponseBodyKey, ResponseHeaders } = flood.Action.Block.CustomResponse;
    const headers = (ResponseHeaders as readonly { Name: string; Value: string }[]).map(
      ({ Name, Value }) => [Name, Value] as const,
    );
    expect(ResponseCode).toBe(429);
    expect(Object.fromEntries(headers)).toEqual({
      'X-Request-Id': 'none',
      'X-RateLimit-Limit': '0',
      'X-RateLimit-Remaining': '0',
      'X-RateLimit-Reset': '0',
      'X-RateLimit-Policy': '0;w=1;comment=not_counted',
      'Retry-After': '300',
    });
    const { Content, ContentType } = acl.CustomResponseBodies[CustomResponseBodyKey];
    expect(ContentType).toBe('APPLICATION_JSON');
    expect(JSON.parse(Content)).toEqual({
      error: 'rate_limit_exceeded',
      message: 'Too many requests from this address. Try again in 300 seconds.',
      request_id: 'none',
      retry_after: 300,
    });
  });

  it('has no rate rule behind trusted proxies, whose address all callers have', () => {
    const [, { Properties }] = the(complete, 'AWS::WAFv2::WebACL');
    expect(Properties.Rules.map(({ Name }: { Name: string }) => Name)).toEqual([
      'AWSManagedRulesAmazonIpReputationList',
    ]);
  });

  it('logs what it blocks into a group of the stack, without paths, queries and credentials', () => {
    const [, { Properties: logging }] = the('production', 'AWS::WAFv2::LoggingConfiguration');
    const [group] = resourcesOfType('production', 'AWS::Logs::LogGroup').filter(([, { Properties }]) =>
      JSON.stringify(Properties.LogGroupName ?? '').includes('aws-waf-logs-'),
    );
    const destination = JSON.stringify(logging.LogDestinationConfigs);
    // With `:*` at its end, as the attribute has it, the ARN is refused.
    expect(destination).toMatch(new RegExp(`:log-group:",\\{"Ref":"${group?.[0]}"\\}\\]`));
    expect(logging.ResourceArn).toEqual({ 'Fn::GetAtt': [aclId, 'Arn'] });
    expect(logging.LoggingFilter.DefaultBehavior).toBe('DROP');
    expect(logging.RedactedFields).toEqual(
      expect.arrayContaining([
        { UriPath: {} },
        { QueryString: {} },
        { SingleHeader: { Name: 'authorization' } },
        { SingleHeader: { Name: 'cookie' } },
      ]),
    );
  });

  it("blocks by AWS's list of addresses, with the error body of the gateway", () => {
    expect(rules.map(({ Name, Priority }) => [Priority, Name])).toEqual([
      [0, 'flood'],
      [1, 'AWSManagedRulesAmazonIpReputationList'],
    ]);
    expect(rules[1]?.OverrideAction).toEqual({ None: {} });
    const { WAF_FILTERED: answer } = apiBodyOf('production')['x-amazon-apigateway-gateway-responses'];
    expect(answer).toMatchObject({ statusCode: '403' });
  });
});

const tls12 = { SecurityPolicy: 'SecurityPolicy_TLS13_1_2_2021_06', EndpointAccessMode: 'STRICT' };

it.each(Object.keys(deployments))(
  'the API takes TLS 1.2 at least, except the one on this machine: %s',
  (name) => {
    const [, { Properties }] = the(name, 'AWS::ApiGateway::RestApi');
    const { SecurityPolicy, EndpointAccessMode } = Properties;
    expect({ SecurityPolicy, EndpointAccessMode }).toEqual(name === 'local' ? {} : tls12);
  },
);

describe('a custom domain', () => {
  it('uses TLS 1.2 and the certificate, and maps to the API with unchanged paths', () => {
    const [domain, { Properties }] = the(complete, 'AWS::ApiGateway::DomainName');
    expect(Properties).toMatchObject({
      DomainName: 'api.example.com',
      ...tls12,
      RegionalCertificateArn: 'arn:aws:acm:eu-west-1:000000000000:certificate/0123',
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    const [, { Properties: mapping }] = the(complete, 'AWS::ApiGateway::BasePathMapping');
    const [stage] = the(complete, 'AWS::ApiGateway::Stage');
    expect([refOf(mapping.DomainName), refOf(mapping.Stage), mapping.BasePath]).toEqual([
      domain,
      stage,
      undefined,
    ]);
    const [, { Properties: record }] = the(complete, 'AWS::Route53::RecordSet');
    expect(record).toMatchObject({
      Name: 'api.example.com.',
      Type: 'A',
      HostedZoneId: 'Z0123',
      AliasTarget: { DNSName: { 'Fn::GetAtt': [domain, 'RegionalDomainName'] } },
    });
  });
});

describe('traces and access logs', () => {
  const tracing = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'];
  const traced = (name: string): string[] =>
    resourcesOfType(name, 'AWS::IAM::Role')
      .filter(([, { Properties }]) =>
        statementsOf(Properties).some(
          ({ Action, Resource }) =>
            Resource === '*' && tracing.every((action) => [Action].flat().includes(action)),
        ),
      )
      .map(([role]) => role);

  it('are on for every function in production that runs on request, each with the permission of its own role; those of the API would have URLs', () => {
    const functions = resourcesOfType('production', 'AWS::Lambda::Function').filter(
      ([, { Properties }]) => Properties.TracingConfig?.Mode === 'Active',
    );
    const roles = functions.map(([, { Properties }]) => String(Properties.Role['Fn::GetAtt'][0]));
    expect(traced('production').toSorted()).toEqual(roles.toSorted());
    const [, { Properties: stage }] = the('production', 'AWS::ApiGateway::Stage');
    expect(stage.TracingEnabled ?? false).toBe(false);
  });

  it('log requests that reach no function, without bodies or credentials', () => {
    const [, { Properties: stage }] = the('production', 'AWS::ApiGateway::Stage');
    expect(Object.keys(JSON.parse(stage.AccessLogSetting.Format))).toEqual([
      'request_id',
      'source_ip',
      'method',
      'route',
      'status',
      'latency_ms',
      'answered_by',
    ]);
    // The template of the route: `$context.path` has what the caller wrote.
    expect(JSON.parse(stage.AccessLogSetting.Format).route).toBe('$context.resourcePath');
    const [, { Properties: acl }] = the('production', 'AWS::WAFv2::WebACL');
    for (const { VisibilityConfig } of [acl, ...acl.Rules])
      expect(VisibilityConfig.SampledRequestsEnabled).toBe(false);
    for (const name of Object.keys(deployments)) {
      const [, { Properties: any }] = the(name, 'AWS::ApiGateway::Stage');
      // The log group of execution logs would be outside the stack, and have paths.
      for (const settings of any.MethodSettings) {
        expect(settings.DataTraceEnabled ?? false).toBe(false);
        expect(settings.LoggingLevel ?? 'OFF').toBe('OFF');
      }
    }
  });

  it("are written by the account's one role, which outlives the stack: the APIs of other stages log with it", () => {
    const [, account] = the(complete, 'AWS::ApiGateway::Account');
    const [role] = account.Properties.CloudWatchRoleArn['Fn::GetAtt'];
    const { resources: all } = synthesized(complete);
    expect([account.DeletionPolicy, all[role]?.DeletionPolicy]).toEqual(['Retain', 'Retain']);
    expect(typesIn('no settings')).not.toContain('AWS::ApiGateway::Account');
  });

  it('are off, and not permitted, where the stage turns them off', () => {
    for (const [, { Properties }] of resourcesOfType('no settings', 'AWS::Lambda::Function'))
      expect(Properties.TracingConfig).toBeUndefined();
    expect(traced('no settings')).toEqual([]);
    const [, { Properties: stage }] = the('no settings', 'AWS::ApiGateway::Stage');
    expect([stage.TracingEnabled ?? false, stage.AccessLogSetting]).toEqual([false, undefined]);
  });
});
