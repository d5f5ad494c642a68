/**
 * The HTTP API: one function and one role for each route. All other methods and paths go to `refuse-unmatched`, so that
 * their responses also have real rate-limit headers.
 */
import { CfnOutput, Lazy, Stack } from 'aws-cdk-lib';
import {
  ApiDefinition,
  type CfnRestApi,
  type CfnStage,
  EndpointType,
  RestApiMode,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import type { FunctionName } from '../../../shared/contract/function-uses.ts';
import {
  apiStageName,
  type RouteName,
  requestTimeoutSeconds,
  routes,
  unmatchedRoute,
} from '../../../shared/contract/routes.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import { pascalCase } from '../../constructs/stack-outputs.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import { apiBody, handlerVariable } from './api-body.ts';
import { acknowledgeApi, apiStageOptions } from './api-stage.ts';
import { CustomDomain, requireTls12 } from './custom-domain.ts';
import { WebAcl } from './web-acl.ts';

// All types are treated as binary, because the dashboard's files are compressed and browsers request scripts with `Accept:
// */*`. Request bodies therefore arrive in base64, and every function decodes them.
const binaryMediaTypes = ['*/*'];

// More memory also means more CPU, which takes half of a cold start.
const ofRequests = { timeoutSeconds: requestTimeoutSeconds, memoryMegabytes: 1024 };

export class Api extends Construct {
  private readonly stage: StageSettings;
  /** The functions by name. One function can handle several routes. */
  private readonly handlers = new Map<string, GatewayFunction>();
  readonly rest: SpecRestApi;
  /** The API's URL without a final slash, which is also the issuer of its tokens. */
  readonly baseUrl: string;

  constructor(scope: Construct, id: string, stage: StageSettings) {
    super(scope, id);
    this.stage = stage;
    const isOnlyDomain = stage.customDomain?.disableDefaultEndpoint === true;
    const api = new SpecRestApi(this, 'Rest', {
      restApiName: stage.stackName,
      apiDefinition: ApiDefinition.fromInline(apiBody(stage.stackName, binaryMediaTypes)),
      // Otherwise, parts that the body no longer contains would remain.
      mode: RestApiMode.OVERWRITE,
      ...(isOnlyDomain ? { disableExecuteApiEndpoint: true } : {}),
      // By default, API Gateway ignores parts that it does not understand, and their routes would have no function.
      failOnWarnings: true,
      endpointTypes: [EndpointType.REGIONAL],
      // By default, an import creates an edge-optimized endpoint.
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
      // An account has one role for logs in each region, which every deploy sets. The role remains when the stack is
      // deleted (the CDK's default), so that other stages keep their logs.
      cloudWatchRole: stage.apiAccessLogs,
      deployOptions: apiStageOptions(this, stage),
      binaryMediaTypes,
    });
    // By default, API Gateway accepts TLS 1.0 (API Gateway, "Supported security policies"). The emulator serves http.
    if (!stage.emulator) requireTls12(api.node.defaultChild as CfnRestApi);
    this.rest = api;
    this.baseUrl = baseUrlOf(this, api, stage);
    for (const name of Object.keys(routes) as RouteName[]) this.addHandler(name, routes[name]);
    this.addHandler('RefuseUnmatched', unmatchedRoute);
    this.nameHandlers();
    acknowledgeApi(api, stage);
    const { stageArn: resourceArn } = api.deploymentStage;
    if (typeof stage.webAcl === 'string')
      new CfnWebACLAssociation(this, 'ExistingWebAcl', { resourceArn, webAclArn: stage.webAcl });
    else if (stage.webAcl) new WebAcl(this, 'WebAcl', stage, api.deploymentStage);
    // Forces a new deployment of the API, without which this setting has no effect.
    if (isOnlyDomain) api.latestDeployment?.addToLogicalId({ disableDefaultEndpoint: true });
    if (stage.customDomain !== undefined) new CustomDomain(this, 'Domain', api, stage.customDomain);
    new CfnOutput(this, 'Id', { key: 'ApiId', value: api.restApiId });
    new CfnOutput(this, 'Url', { key: 'ApiUrl', value: api.url });
  }

  /** Adds a function that handles some of the routes, and lets the API call it. */
  add(
    scope: Construct,
    id: string,
    functionName: FunctionName,
    limits: { readonly timeoutSeconds: number; readonly memoryMegabytes?: number } = ofRequests,
  ): void {
    const handler = new GatewayFunction(scope, id, { stage: this.stage, functionName, ...limits });
    this.handlers.set(functionName, handler);
    const permission = new CfnPermission(handler, 'CalledByApi', {
      action: 'lambda:InvokeFunction',
      functionName: handler.live.functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn: this.rest.arnForExecuteApi(),
    });
    // A new route is served only after the API may call its function.
    this.rest.deploymentStage.node.addDependency(permission);
  }

  /** Sets the stage variables that the body uses, to the functions' names. */
  private nameHandlers(): void {
    const stage = this.rest.deploymentStage.node.defaultChild as CfnStage;
    stage.variables = Lazy.any({
      produce: () =>
        Object.fromEntries(
          Array.from(this.handlers, ([name, { live }]) => [handlerVariable(name), live.functionName]),
        ),
    });
  }

  private addHandler(
    name: string,
    { functionName }: (typeof routes)[RouteName] | typeof unmatchedRoute,
  ): void {
    if (!this.handlers.has(functionName)) this.add(this, pascalCase(name), functionName);
  }
}

function baseUrlOf(scope: Construct, api: SpecRestApi, stage: StageSettings): string {
  if (stage.publicUrl !== undefined) return stage.publicUrl;
  if (stage.customDomain !== undefined) return `https://${stage.customDomain.name}`;
  // Builds the URL without a reference to the stage, because the stage depends on the functions that get this URL.
  const { region, urlSuffix } = Stack.of(scope);
  return `https://${api.restApiId}.execute-api.${region}.${urlSuffix}/${apiStageName}`;
}
