/** The API of every stage, as API Gateway imports it. */
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ApiDefinition, SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { apiBody } from '../../lib/capabilities/api/api-body.ts';
import { ownResponses } from '../../lib/capabilities/api/gateway-responses.ts';
import {
  adminRoutes,
  carrierRoutes,
  type Route,
  routes,
  unmatchedRoute,
} from '../../shared/contract/routes.ts';
import { anyMethod, apiBodyOf, operationsOf, stageVariablesOf } from '../support/template/api-body.ts';
import { deployments } from '../support/template/deployments.ts';
import { rendered } from '../support/template/physical-names.ts';
import { refOf, resourcesOfType, synthesized, typesIn } from '../support/template/stage-templates.ts';

const handled: readonly Route[] = [
  ...Object.values(routes),
  ...Object.values(adminRoutes),
  ...Object.values(carrierRoutes),
];
const variableOf = (functionName: string): string => functionName.replaceAll('-', '_');

describe.each(Object.keys(deployments))('the body of the API, %s', (deployment) => {
  const body = apiBodyOf(deployment);
  const operations = operationsOf(deployment);
  const handlerOf = (method: string, path: string): string | undefined =>
    operations.find((operation) => operation.method === method && operation.path === path)?.variable;
  const [[apiId, api]] = resourcesOfType(deployment, 'AWS::ApiGateway::RestApi');

  it('is valid OpenAPI', async () => {
    // `ANY` is an extension, so its operations are judged as those of another method.
    const known = JSON.stringify(body).replaceAll(`"${anyMethod}"`, '"trace"');
    const { valid, errors } = await new Validator().validate(JSON.parse(known));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
  });

  it('sends each route to its function, and HEAD wherever there is GET', () => {
    for (const { method, path, functionName } of handled) {
      expect(handlerOf(method, path)).toBe(variableOf(functionName));
      if (method === 'GET') expect(handlerOf('HEAD', path)).toBe(variableOf(functionName));
    }
    const named = operations.filter(({ method }) => method !== 'ANY');
    const heads = handled.filter(({ method }) => method === 'GET').length;
    expect(named).toHaveLength(handled.filter(({ method }) => method !== 'ANY').length + heads);
  });

  it('refuses every other method of a path and of its parents, and every other path', () => {
    const refuses = variableOf(unmatchedRoute.functionName);
    const own = new Set(handled.filter(({ method }) => method === 'ANY').map(({ path }) => path));
    const paths = Object.keys(body.paths);
    expect(paths).toContain('/');
    expect(paths).toContain(unmatchedRoute.path);
    for (const path of paths) {
      if (!own.has(path)) expect([path, handlerOf('ANY', path)]).toEqual([path, refuses]);
      expect(path === '/' || paths.includes(path.replace(/\/[^/]+$/, '') || '/')).toBe(true);
    }
  });

  it('calls each function as a proxy, by a variable that the stage sets', () => {
    const variables = stageVariablesOf(deployment);
    expect(new Set(operations.map(({ variable }) => variable))).toEqual(new Set(Object.keys(variables)));
    expect(Object.keys(variables).length).toBeLessThanOrEqual(100);
    for (const name of Object.keys(variables)) expect(name).toMatch(/^\w{1,64}$/);
    for (const { path, method, variable } of operations) {
      const key = method === 'ANY' ? anyMethod : method.toLowerCase();
      const { type, httpMethod, uri } = body.paths[path][key]['x-amazon-apigateway-integration'];
      expect({ type, httpMethod }).toEqual({ type: 'aws_proxy', httpMethod: 'POST' });
      expect(rendered(withPseudoParameters(uri))).toBe(
        `arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/arn:aws:lambda:eu-west-1:000000000000:function:\${stageVariables.${variable}}/invocations`,
      );
    }
  });

  it('may call its functions, and nothing else may for it', () => {
    const permissions = resourcesOfType(deployment, 'AWS::Lambda::Permission').filter(
      ([, { Properties }]) => Properties.Principal === 'apigateway.amazonaws.com',
    );
    expect(permissions).toHaveLength(Object.keys(stageVariablesOf(deployment)).length);
    const [[, stage]] = resourcesOfType(deployment, 'AWS::ApiGateway::Stage');
    for (const [id, { Properties }] of permissions) {
      expect(JSON.stringify(Properties.SourceArn)).toContain(`{"Ref":"${apiId}"},"/*/*/*"`);
      // A stage that served a route first would answer 500 until the permission exists.
      expect(stage?.DependsOn).toContain(id);
    }
  });

  it("has the responses of API Gateway itself, with the contract's error body and headers", () => {
    const made = body['x-amazon-apigateway-gateway-responses'] as Record<
      string,
      {
        statusCode: string;
        responseParameters: Record<string, string>;
        responseTemplates: Record<string, string>;
      }
    >;
    expect(Object.keys(made)).toEqual(ownResponses.map(({ type }) => type.responseType));
    for (const { statusCode, responseParameters, responseTemplates } of Object.values(made)) {
      expect(Object.keys(responseParameters)).toEqual(
        expect.arrayContaining([
          'gatewayresponse.header.X-Request-Id',
          'gatewayresponse.header.X-RateLimit-Limit',
          'gatewayresponse.header.X-RateLimit-Remaining',
          'gatewayresponse.header.X-RateLimit-Reset',
          'gatewayresponse.header.X-RateLimit-Policy',
        ]),
      );
      const error = JSON.parse(responseTemplates['application/json'] ?? '') as Record<string, unknown>;
      expect(error).toMatchObject({ request_id: '$context.requestId' });
      const isThrottle = statusCode === '429';
      expect('gatewayresponse.header.Retry-After' in responseParameters).toBe(isThrottle);
      expect('retry_after' in error).toBe(isThrottle);
    }
    // Each import of a body drops resources of this type.
    expect(typesIn(deployment)).not.toContain('AWS::ApiGateway::GatewayResponse');
  });

  it('replaces all that the API had, under the name, the endpoint type and the id that it has', () => {
    // Another id is another URL.
    expect(apiId).toBe('ApiRest4DEC74FE');
    expect(api?.Properties).toMatchObject({
      Mode: 'overwrite',
      FailOnWarnings: true,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      Parameters: { endpointConfigurationTypes: 'REGIONAL' },
      BinaryMediaTypes: body['x-amazon-apigateway-binary-media-types'],
      Name: body.info.title,
    });
    for (const type of ['Resource', 'Method'])
      expect(typesIn(deployment)).not.toContain(`AWS::ApiGateway::${type}`);
  });

  it('does not depend on functions, which depend on the address of the API', () => {
    const referred = Array.from(
      JSON.stringify(api).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"([\w:]+)"/g),
      ([, id = '']) => id,
    );
    expect(new Set(referred.filter((id) => !id.startsWith('AWS::')))).toEqual(new Set());
    const { resources } = synthesized(deployment);
    expect(JSON.stringify(resources).length).toBeLessThan(900_000);
  });

  it('is deployed to the stage', () => {
    const [[deployed]] = resourcesOfType(deployment, 'AWS::ApiGateway::Deployment');
    const [[, stage]] = resourcesOfType(deployment, 'AWS::ApiGateway::Stage');
    expect(refOf(stage?.Properties.DeploymentId)).toBe(deployed);
  });
});

describe('the deployment of the API', () => {
  function deploymentId(body: Readonly<Record<string, unknown>>): string {
    const stack = new Stack(new App({ builtinCloudFormationValidation: false }), 'Test');
    new SpecRestApi(stack, 'Rest', { apiDefinition: ApiDefinition.fromInline(body) });
    const [id = ''] = Object.keys(Template.fromStack(stack).findResources('AWS::ApiGateway::Deployment'));
    return id;
  }

  it('is renewed when the body changes, and only then', () => {
    const body = apiBody('gateway', ['*/*']);
    const paths = body.paths as Record<string, unknown>;
    expect(deploymentId(apiBody('gateway', ['*/*']))).toBe(deploymentId(body));
    const { '/docs': _, ...fewer } = paths;
    expect(deploymentId({ ...body, paths: fewer })).not.toBe(deploymentId(body));
  });
});

/** The pseudo parameters of a value, as they are in one region of one account. */
function withPseudoParameters(value: unknown): unknown {
  const values: Record<string, string> = {
    'AWS::Partition': 'aws',
    'AWS::Region': 'eu-west-1',
    'AWS::AccountId': '000000000000',
  };
  return JSON.parse(
    JSON.stringify(value).replaceAll(
      /\{"Ref":"(AWS::\w+)"\}/g,
      (_, name) => `"${values[name] ?? 'unknown'}"`,
    ),
  );
}
