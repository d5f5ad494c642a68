/**
 * The HTTP API: one function and one role for each route. Every other method and path goes to `refuse-unmatched`, so
 * these responses have real rate-limit headers too.
 */
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { EndpointType, type IResource, LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import {
  adminRoutes,
  type Route,
  type RouteName,
  routes,
  unmatchedRoute,
} from '../../../shared/contract/routes.ts';
import { type EnvironmentName, webhookRuleNames } from '../../../shared/platform/env.ts';
import { GatewayFunction } from '../../constructs/gateway-function.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { OtpSecret } from '../otp-secret.ts';
import type { Storage } from '../storage/storage.ts';
import type { TokenKey } from '../token-key.ts';
import { acknowledgeApi, apiStageName, apiStageOptions, createApiAlarms } from './api-stage.ts';
import { CustomDomain } from './custom-domain.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { WebAcl } from './web-acl.ts';

interface ApiProps {
  readonly stage: StageSettings;
  readonly storage: Storage;
  readonly tokenKey: TokenKey;
  readonly otpSecret: OtpSecret;
}

/** What an operation needs besides the rate check and the authentication. */
interface Needs {
  readonly settings?: readonly EnvironmentName[];
  /** Whether it takes from the caps of its client (contract, section 10). */
  readonly takesFromCaps?: boolean;
  readonly grants: (to: GatewayFunction, props: ApiProps) => void;
}

const tokenSettings: readonly EnvironmentName[] = ['TOKEN_AUDIENCE'];
/** A send checks webhook URLs, and sets the time at which its row expires. */
const sendSettings: readonly EnvironmentName[] = ['RETENTION_DAYS', ...webhookRuleNames];

const accountReads: Needs = {
  settings: ['CURRENCY', 'STAGE_CAPS'],
  grants: (to, { storage }) => {
    storage.grant(to, 'message-usage', 'BatchGetItem');
    storage.grant(to, 'rate-counters', 'GetItem');
  },
};

/** One function for all of them: it tells where the gateway is, and shows its public keys. */
const describing: Needs = { grants: (to, { storage }) => storage.grant(to, 'signing-keys', 'Scan') };

const needs: Readonly<Record<RouteName, Needs>> = {
  issueToken: {
    settings: tokenSettings,
    grants: (to, { storage, tokenKey }) => {
      storage.grant(to, 'clients', 'GetItem');
      storage.grant(to, 'limit-overrides', 'Query');
      storage.grant(to, 'signing-keys', 'PutItem');
      tokenKey.grantSign(to);
    },
  },
  sendSms: {
    settings: sendSettings,
    takesFromCaps: true,
    grants: (to, { storage }) => storage.grant(to, 'messages', 'PutItem', 'GetItem', 'UpdateItem'),
  },
  sendBulkSms: {
    settings: sendSettings,
    takesFromCaps: true,
    grants: (to, { storage }) => {
      storage.grant(to, 'messages', 'PutItem');
      storage.grant(to, 'batches', 'GetItem', 'PutItem', 'UpdateItem');
    },
  },
  sendOtp: {
    settings: sendSettings,
    takesFromCaps: true,
    grants: (to, { storage }) => {
      storage.grant(to, 'messages', 'PutItem', 'GetItem', 'UpdateItem');
      storage.grant(to, 'one-time-passwords', 'GetItem', 'PutItem');
    },
  },
  verifyOtp: {
    grants: (to, { storage, otpSecret }) => {
      storage.grant(to, 'one-time-passwords', 'GetItem', 'UpdateItem');
      otpSecret.grantRead(to);
    },
  },
  sendWhatsApp: {
    settings: sendSettings,
    takesFromCaps: true,
    grants: (to, { storage }) => storage.grant(to, 'messages', 'PutItem', 'GetItem', 'UpdateItem'),
  },
  getMessageStatus: {
    settings: ['RETENTION_DAYS'],
    grants: (to, { storage }) => {
      storage.grant(to, 'messages', 'GetItem', 'BatchGetItem');
      storage.grant(to, 'batches', 'GetItem');
    },
  },
  listMessages: {
    settings: ['RETENTION_DAYS'],
    grants: (to, { storage }) => {
      storage.grant(to, 'messages', 'BatchGetItem');
      storage.grantIndex(to, 'messages', 'by-client');
      storage.grantIndex(to, 'messages', 'by-reference');
    },
  },
  cancelMessage: {
    settings: ['RETENTION_DAYS'],
    grants: (to, { storage }) => storage.grant(to, 'messages', 'GetItem', 'UpdateItem'),
  },
  // One function for both: what a client may read of itself.
  getAccount: accountReads,
  getUsage: accountReads,
  updateAccount: {
    settings: sendSettings,
    grants: (to, { storage }) => {
      storage.grant(to, 'clients', 'UpdateItem');
      storage.grant(to, 'activity-log', 'PutItem');
    },
  },
  rotateWebhookSecret: {
    settings: ['RETENTION_DAYS'],
    grants: (to, { storage }) => {
      storage.grant(to, 'client-secrets', 'GetItem', 'UpdateItem');
      storage.grant(to, 'activity-log', 'PutItem');
    },
  },
  getOpenApiDocument: describing,
  getDocs: describing,
  getWebhookGuide: describing,
  getWellKnown: describing,
};

/** Functions without a bearer token that name the gateway's own address. */
const knowsUrl: ReadonlySet<string> = new Set([
  routes.issueToken.functionName,
  routes.getWellKnown.functionName,
]);

/** Below API Gateway's limit of 29 s, so that the response is always from the function. */
const requestTimeoutSeconds = 20;

export class Api extends Construct {
  /** Alarms on errors and latency. */
  readonly alarms: readonly Alarm[];
  private readonly props: ApiProps;
  /** By function name: one function may handle several routes. */
  private readonly integrations = new Map<string, LambdaIntegration>();
  private readonly rest: RestApi;
  /** Where clients call the API, without a slash at its end; also the issuer of its tokens. */
  private readonly baseUrl: string;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    this.props = props;
    const { stage } = props;
    const api = new RestApi(this, 'Rest', {
      restApiName: stage.stackName,
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: stage.apiAccessLogs,
      deployOptions: apiStageOptions(this, stage),
      // The dashboard's files are sent compressed, and browsers request scripts with `Accept: */*`. Request bodies then
      // arrive in base64, which every function decodes.
      binaryMediaTypes: ['*/*'],
    });
    this.rest = api;
    this.baseUrl = baseUrlOf(this, api, stage);
    addGatewayResponses(api);
    for (const name of Object.keys(routes) as RouteName[]) {
      const route = routes[name];
      this.addMethods(route, this.integration(name, route, needs[name]));
    }
    this.refuseTheRest(api);
    acknowledgeApi(api, stage);
    this.alarms = createApiAlarms(this, api, stage);
    if (stage.webAcl) new WebAcl(this, 'WebAcl', stage, api.deploymentStage);
    if (stage.customDomain !== undefined) new CustomDomain(this, 'Domain', api, stage.customDomain);
    new CfnOutput(this, 'Id', { key: 'ApiId', value: api.restApiId });
    new CfnOutput(this, 'Url', { key: 'ApiUrl', value: api.url });
  }

  /** Adds a route that is not part of the public API. */
  add(route: Route, handler: GatewayFunction): void {
    this.addMethods(route, new LambdaIntegration(handler.live, { scopePermissionToMethod: false }));
  }

  /** HEAD is answered wherever GET is (contract, section 1). */
  private addMethods({ method, path }: Route, integration: LambdaIntegration): void {
    const resource = this.rest.root.resourceForPath(path);
    resource.addMethod(method, integration);
    if (method === 'GET') resource.addMethod('HEAD', integration);
  }

  /** For the rate check, and for the authentication where the route has a scope (contract, sections 3 and 4). */
  grantRequestGuards(to: GatewayFunction, { scope }: Route): void {
    const { storage } = this.props;
    storage.grant(to, 'rate-counters', 'UpdateItem');
    if (scope === null) return;
    storage.grant(to, 'limit-overrides', 'Query');
    to.setVariables({ TOKEN_ISSUER: this.baseUrl });
    storage.grant(to, 'clients', 'GetItem');
    storage.grant(to, 'api-keys', 'GetItem');
    storage.grant(to, 'signing-keys', 'GetItem');
  }

  /** Adds `ANY` to each path and its parent paths; a path's own methods take precedence over it. */
  private refuseTheRest(api: RestApi): void {
    const integration = this.integration('RefuseUnmatched', unmatchedRoute, { grants: () => undefined });
    const known = new Map<string, IResource>([[api.root.path, api.root]]);
    const others = Object.values<Route>(adminRoutes);
    for (const { path } of [...Object.values<Route>(routes), ...others]) {
      const segments = path.split('/').filter(Boolean);
      for (let length = 1; length <= segments.length; length += 1) {
        const resource = api.root.resourceForPath(`/${segments.slice(0, length).join('/')}`);
        known.set(resource.path, resource);
      }
    }
    // The function of a route with every method refuses the methods that it does not support.
    for (const { method, path } of others) if (method === 'ANY') known.delete(path);
    for (const resource of known.values()) resource.addMethod('ANY', integration);
    api.root.resourceForPath(unmatchedRoute.path).addMethod('ANY', integration);
  }

  private integration(
    name: string,
    route: Route,
    { settings = [], takesFromCaps = false, grants }: Needs,
  ): LambdaIntegration {
    const known = this.integrations.get(route.functionName);
    if (known !== undefined) return known;
    const { stage, storage } = this.props;
    const handler = new GatewayFunction(this, `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, {
      stage,
      functionName: route.functionName,
      timeoutSeconds: requestTimeoutSeconds,
      // More memory means more CPU, which is half of a cold start that a request waits for.
      memoryMegabytes: 1024,
      settings: [
        ...(route.scope === null ? [] : tokenSettings),
        ...settings,
        ...(takesFromCaps ? (['STAGE_CAPS'] as const) : []),
      ],
      ...(takesFromCaps ? { files: { 'prices.json': JSON.stringify(stage.prices) } } : {}),
    });
    this.grantRequestGuards(handler, route);
    if (takesFromCaps) {
      handler.setVariables({ PRICES_FILE: 'prices.json' });
      // Notices of a spend cap.
      storage.grant(handler, 'activity-log', 'PutItem');
    }
    if (knowsUrl.has(route.functionName)) handler.setVariables({ TOKEN_ISSUER: this.baseUrl });
    grants(handler, this.props);
    const integration = new LambdaIntegration(handler.live, { scopePermissionToMethod: false });
    this.integrations.set(route.functionName, integration);
    return integration;
  }
}

function baseUrlOf(scope: Construct, api: RestApi, stage: StageSettings): string {
  if (stage.publicUrl !== undefined) return stage.publicUrl;
  if (stage.customDomain !== undefined) return `https://${stage.customDomain.name}`;
  // Not of the deployment's stage, which depends on the functions that get this address.
  const { region, urlSuffix } = Stack.of(scope);
  return `https://${api.restApiId}.execute-api.${region}.${urlSuffix}/${apiStageName}`;
}
