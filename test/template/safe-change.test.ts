/** What the emulator has not, by its template: canaries, the web ACL, the API's own name, traces and its log. */
import { describe, expect, it } from '@jest/globals';
import { apiBodyOf, stageVariablesOf } from '../support/template/api-body.ts';
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

  it('takes a tenth of the calls of every function for five minutes', () => {
    const functions = resourcesOfType('production', 'AWS::Lambda::Function').map(([id]) => id);
    expect(aliases.map(([, { Properties }]) => refOf(Properties.FunctionName)).toSorted()).toEqual(
      functions.toSorted(),
    );
    const [application] = the('production', 'AWS::CodeDeploy::Application');
    const groups = aliases.map(([, { UpdatePolicy }]) => UpdatePolicy?.CodeDeployLambdaAliasUpdate);
    expect(new Set(groups.map((group) => refOf(group?.DeploymentGroupName))).size).toBe(functions.length);
    for (const group of groups) {
      expect(refOf(group?.ApplicationName)).toBe(application);
      expect(resources[refOf(group?.DeploymentGroupName)]?.Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        DeploymentStyle: { DeploymentOption: 'WITH_TRAFFIC_CONTROL', DeploymentType: 'BLUE_GREEN' },
      });
    }
  });

  it.each(aliases.map(([id]) => id))(
    "goes back on the function's own errors, the API's 5xx and its latency: %s",
    (id) => {
      const alias = resources[id];
      const group =
        resources[refOf(alias?.UpdatePolicy?.CodeDeployLambdaAliasUpdate?.DeploymentGroupName)]?.Properties;
      expect(group?.AutoRollbackConfiguration).toEqual({
        Enabled: true,
        Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_REQUEST', 'DEPLOYMENT_STOP_ON_ALARM'],
      });
      expect(group?.AlarmConfiguration.Enabled).toBe(true);
      const names = group?.AlarmConfiguration.Alarms as readonly { Name: unknown }[];
      const alarms = names.map(({ Name }) => resources[refOf(Name)]?.Properties ?? {});
      const { Name: apiName } = the('production', 'AWS::ApiGateway::RestApi')[1].Properties;
      const [own, ...ofApi] = alarms;
      const errors = ((own?.Metrics ?? []) as { Id: string; MetricStat: { Metric: unknown } }[]).find(
        ({ Id }) => Id === 'errors',
      );
      expect(errors?.MetricStat.Metric).toEqual({
        Namespace: 'AWS/Lambda',
        MetricName: 'Errors',
        Dimensions: [{ Name: 'FunctionName', Value: alias?.Properties.FunctionName }],
      });
      const watched = ofApi.map(({ Namespace, MetricName, Dimensions }) => ({
        metric: `${Namespace} ${MetricName}`,
        of: Dimensions,
      }));
      expect(watched).toEqual([
        { metric: 'AWS/ApiGateway 5XXError', of: [{ Name: 'ApiName', Value: apiName }] },
        { metric: 'AWS/ApiGateway Latency', of: [{ Name: 'ApiName', Value: apiName }] },
      ]);
    },
  );

  it('is called only by its alias: by the API, the queues, the stream and the schedules', () => {
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
    const functions = new Set(resourcesOfType('production', 'AWS::Lambda::Function').map(([id]) => id));
    for (const callee of called) {
      const refs = Array.from(JSON.stringify(callee).matchAll(/"Ref":"(\w+)"/g), ([, id = '']) => id);
      expect(refs.filter((id) => live.has(id))).toHaveLength(1);
      expect(refs.filter((id) => functions.has(id))).toEqual([]);
    }
  });

  it('is deployed at once on a stage without canaries', () => {
    expect(typesIn('no settings')).not.toContain('AWS::Lambda::Alias');
    expect(typesIn('no settings')).not.toContain('AWS::CodeDeploy::DeploymentGroup');
  });
});

describe('the web ACL of production', () => {
  const [aclId, { Properties: acl }] = the('production', 'AWS::WAFv2::WebACL');
  const rules = acl.Rules as readonly { Name: string; Priority: number; OverrideAction?: unknown }[];

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

  it("blocks by AWS's managed rules, with the error body of the gateway", () => {
    expect(rules.map(({ Name, Priority }) => [Priority, Name])).toEqual([
      [0, 'flood'],
      [1, 'AWSManagedRulesAmazonIpReputationList'],
      [2, 'AWSManagedRulesKnownBadInputsRuleSet'],
      [3, 'AWSManagedRulesCommonRuleSet'],
    ]);
    for (const { OverrideAction } of rules.slice(1)) expect(OverrideAction).toEqual({ None: {} });
    const { WAF_FILTERED: answer } = apiBodyOf('production')['x-amazon-apigateway-gateway-responses'];
    expect(answer).toMatchObject({ statusCode: '403' });
  });
});

describe('a custom domain', () => {
  it('uses TLS 1.2 and the certificate, and maps to the API with unchanged paths', () => {
    const [domain, { Properties }] = the(complete, 'AWS::ApiGateway::DomainName');
    expect(Properties).toMatchObject({
      DomainName: 'api.example.com',
      SecurityPolicy: 'TLS_1_2',
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

  it('are on for every function in production, each with the permission of its own role; those of the API would have URLs', () => {
    const functions = resourcesOfType('production', 'AWS::Lambda::Function');
    for (const [, { Properties }] of functions) expect(Properties.TracingConfig).toEqual({ Mode: 'Active' });
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
    expect(stage.MethodSettings).toMatchObject([{ DataTraceEnabled: false, LoggingLevel: 'ERROR' }]);
  });

  it('are off, and not permitted, where the stage turns them off', () => {
    for (const [, { Properties }] of resourcesOfType('no settings', 'AWS::Lambda::Function'))
      expect(Properties.TracingConfig).toBeUndefined();
    expect(traced('no settings')).toEqual([]);
    const [, { Properties: stage }] = the('no settings', 'AWS::ApiGateway::Stage');
    expect([stage.TracingEnabled ?? false, stage.AccessLogSetting]).toEqual([false, undefined]);
  });
});
