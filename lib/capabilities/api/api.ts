/**
 * The HTTP API: one function and one role for each route. Every other method and path goes to `refuse-unmatched`, so
 * these responses have real rate-limit headers too.
 */
import { Aws, CfnOutput, Lazy, Stack } from 'aws-cdk-lib';
import {
  ApiDefinition,
  type CfnStage,
  EndpointType,
  RestApiMode,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnPermission } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { apiStageName } from '../../../shared/contract/base-url.ts';
import {
  type Route,
  type RouteName,
  requestTimeoutSeconds,
  routes,
  unmatchedRoute,
} from '../../../shared/contract/routes.ts';
import { type EnvironmentName, webhookRuleNames } from '../../../shared/platform/env.ts';
import { GatewayFunction, pricesFile } from '../../constructs/gateway-function.ts';
import type { StageSettings } from '../../stages/stage-settings.ts';
import type { OtpSecret } from '../otp-secret.ts';
import type { Storage } from '../storage/storage.ts';
import type { TokenKey } from '../token-key.ts';
import { apiBody, handlerNames, handlerVariable } from './api-body.ts';
import { acknowledgeApi, apiStageOptions, createApiAlarms } from './api-stage.ts';
import { CustomDomain } from './custom-domain.ts';
import { WebAcl } from './web-acl.ts';

interface ApiProps {
  readonly stage: StageSettings;
  readonly storage: Storage;
  readonly tokenKey: TokenKey;
  readonly otpSecret: OtpSecret;
}

/** The settings and permissions of an operation besides those of the rate check and the authentication. */
interface Needs {
  readonly settings?: readonly EnvironmentName[];
  /**
   * Whether the operation sends: it takes from the caps of its client and selects senders (contract, sections 10 and
   * 14).
   */
  readonly sends?: boolean;
  /**
   * Whether the operation needs the gateway's own URL, which is the issuer of tokens; operations with a scope always
   * have it.
   */
  readonly needsOwnUrl?: boolean;
  readonly grants: (to: GatewayFunction, props: ApiProps) => void;
}

const tokenSettings: readonly EnvironmentName[] = ['TOKEN_AUDIENCE'];
const sendSettings: readonly EnvironmentName[] = [...webhookRuleNames, 'ALLOWED_COUNTRIES'];

const sendOne: Needs = {
  settings: sendSettings,
  sends: true,
  grants: (to, { storage }) => storage.grant(to, 'messages', 'PutItem', 'GetItem', 'UpdateItem'),
};

/** Usage and account are one function: both only read what a client may read of itself. */
const accountReads: Needs = {
  settings: ['CURRENCY', 'STAGE_CAPS'],
  grants: (to, { storage }) => {
    storage.grant(to, 'message-usage', 'BatchGetItem');
    storage.grant(to, 'rate-counters', 'GetItem');
  },
};

/** A single function serves the documentation, the gateway's URL and its public keys. */
const apiDescription: Needs = {
  needsOwnUrl: true,
  grants: (to, { storage }) => storage.grant(to, 'signing-keys', 'Scan'),
};

/**
 * One function serves all operations on endpoints; it sends a test event through the queues, like any other event
 * (`Webhooks.grantEnqueue`).
 */
const webhookEndpoints: Needs = {
  settings: webhookRuleNames,
  grants: (to, { storage }) => {
    // Destinations in the gateway's own account are refused.
    to.setVariables({ GATEWAY_ACCOUNT: Aws.ACCOUNT_ID, GATEWAY_PARTITION: Aws.PARTITION });
    storage.grant(to, 'webhook-endpoints', 'GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem');
    storage.grant(to, 'client-secrets', 'GetItem', 'UpdateItem');
    storage.grant(to, 'webhook-deliveries', 'PutItem');
    storage.grant(to, 'due-items', 'PutItem');
    storage.grant(to, 'activity-log', 'PutItem');
  },
};

/** A single function serves the log of deliveries and enqueues them again (`Webhooks.grantEnqueue`). */
const webhookDeliveries: Needs = {
  grants: (to, { storage }) => {
    storage.grant(to, 'webhook-deliveries', 'GetItem', 'BatchGetItem', 'PutItem');
    storage.grant(to, 'webhook-endpoints', 'GetItem', 'Query');
    storage.grant(to, 'messages', 'GetItem', 'BatchGetItem');
    storage.grantIndex(to, 'messages', 'by-client');
    storage.grant(to, 'activity-log', 'Query', 'PutItem');
    storage.grantIndex(to, 'activity-log', 'by-client');
    storage.grant(to, 'due-items', 'PutItem');
  },
};

const suppressions: Needs = {
  grants: (to, { storage }) => storage.grant(to, 'suppressions', 'GetItem', 'Query', 'UpdateItem'),
};

const needs: Readonly<Record<RouteName, Needs>> = {
  issueToken: {
    settings: tokenSettings,
    needsOwnUrl: true,
    grants: (to, { storage, tokenKey }) => {
      storage.grant(to, 'clients', 'GetItem');
      storage.grant(to, 'limit-overrides', 'Query');
      storage.grant(to, 'signing-keys', 'PutItem');
      tokenKey.grantSign(to);
    },
  },
  sendSms: sendOne,
  sendBulkSms: {
    settings: sendSettings,
    sends: true,
    grants: (to, { storage }) => {
      storage.grant(to, 'messages', 'PutItem');
      storage.grant(to, 'batches', 'GetItem', 'PutItem', 'UpdateItem');
      storage.grant(to, 'sender-pace', 'GetItem', 'PutItem');
      storage.grant(to, 'due-items', 'PutItem');
    },
  },
  sendOtp: {
    settings: sendSettings,
    sends: true,
    grants: (to, { storage }) => {
      storage.grant(to, 'messages', 'PutItem', 'GetItem', 'UpdateItem');
      storage.grant(to, 'one-time-passwords', 'GetItem', 'PutItem', 'UpdateItem');
      storage.grant(to, 'otp-holds', 'Query');
    },
  },
  verifyOtp: {
    grants: (to, { storage, otpSecret }) => {
      storage.grant(to, 'one-time-passwords', 'GetItem', 'UpdateItem');
      otpSecret.grantRead(to);
    },
  },
  sendWhatsApp: sendOne,
  getMessageStatus: {
    grants: (to, { storage }) => {
      storage.grant(to, 'messages', 'GetItem', 'BatchGetItem');
      storage.grant(to, 'batches', 'GetItem');
      storage.grant(to, 'whatsapp-windows', 'GetItem');
    },
  },
  listMessages: {
    grants: (to, { storage }) => {
      storage.grant(to, 'messages', 'BatchGetItem');
      storage.grantIndex(to, 'messages', 'by-client');
      storage.grantIndex(to, 'messages', 'by-reference');
    },
  },
  cancelMessage: {
    grants: (to, { storage }) => storage.grant(to, 'messages', 'GetItem', 'UpdateItem'),
  },
  getAccount: accountReads,
  getUsage: accountReads,
  updateAccount: {
    settings: webhookRuleNames,
    grants: (to, { storage }) => {
      storage.grant(to, 'clients', 'UpdateItem');
      storage.grant(to, 'activity-log', 'PutItem');
    },
  },
  rotateWebhookSecret: {
    grants: (to, { storage }) => {
      storage.grant(to, 'client-secrets', 'GetItem', 'UpdateItem');
      storage.grant(to, 'activity-log', 'PutItem');
    },
  },
  createWebhookEndpoint: webhookEndpoints,
  listWebhookEndpoints: webhookEndpoints,
  getWebhookEndpoint: webhookEndpoints,
  updateWebhookEndpoint: webhookEndpoints,
  deleteWebhookEndpoint: webhookEndpoints,
  rotateWebhookEndpointSecret: webhookEndpoints,
  testWebhookEndpoint: webhookEndpoints,
  listWebhookDeliveries: webhookDeliveries,
  getWebhookDelivery: webhookDeliveries,
  resendWebhookDelivery: webhookDeliveries,
  resendWebhookDeliveries: webhookDeliveries,
  getWebhookResend: webhookDeliveries,
  listSuppressions: suppressions,
  putSuppression: suppressions,
  deleteSuppression: suppressions,
  getOpenApiDocument: apiDescription,
  getRoot: apiDescription,
  getDocs: apiDescription,
  getDocsPage: apiDescription,
  getWellKnown: apiDescription,
};

// The dashboard's files are sent compressed, and browsers request scripts with `Accept: */*`. Request bodies then arrive in
// base64, which every function decodes.
const binaryMediaTypes = ['*/*'];

export class Api extends Construct {
  /** The alarms on errors and latency. */
  readonly alarms: readonly Alarm[];
  private readonly props: ApiProps;
  /** The functions by name: one function may handle several routes. */
  private readonly handlers = new Map<string, GatewayFunction>();
  private readonly rest: SpecRestApi;
  /** Clients call the API at this address, which has no slash at its end; it is also the issuer of the API's tokens. */
  private readonly baseUrl: string;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    this.props = props;
    const { stage } = props;
    const api = new SpecRestApi(this, 'Rest', {
      restApiName: stage.stackName,
      apiDefinition: ApiDefinition.fromInline(apiBody(stage.stackName, binaryMediaTypes)),
      // The mode also removes the parts that the body no longer has.
      mode: RestApiMode.OVERWRITE,
      // API Gateway would otherwise ignore a part that it does not understand, and its route would have no function.
      failOnWarnings: true,
      endpointTypes: [EndpointType.REGIONAL],
      // The import has its own default, which is an edge-optimized endpoint.
      parameters: { endpointConfigurationTypes: EndpointType.REGIONAL },
      cloudWatchRole: stage.apiAccessLogs,
      deployOptions: apiStageOptions(this, stage),
      binaryMediaTypes,
    });
    this.rest = api;
    this.baseUrl = baseUrlOf(this, api, stage);
    for (const name of Object.keys(routes) as RouteName[]) this.addHandler(name, routes[name], needs[name]);
    this.addHandler('RefuseUnmatched', unmatchedRoute, { grants: () => undefined });
    this.nameHandlers();
    acknowledgeApi(api, stage);
    this.alarms = createApiAlarms(this, api, stage);
    if (stage.webAcl) new WebAcl(this, 'WebAcl', stage, api.deploymentStage);
    if (stage.customDomain !== undefined) new CustomDomain(this, 'Domain', api, stage.customDomain);
    new CfnOutput(this, 'Id', { key: 'ApiId', value: api.restApiId });
    new CfnOutput(this, 'Url', { key: 'ApiUrl', value: api.url });
  }

  /** Returns the function of a public route. */
  functionOf({ functionName }: Route): GatewayFunction {
    const handler = this.handlers.get(functionName);
    if (handler === undefined) throw new Error(`${functionName} has no route`);
    return handler;
  }

  /** Lets the API call a function that handles some of its routes. */
  add(handler: GatewayFunction): void {
    this.handlers.set(handler.functionFile, handler);
    const permission = new CfnPermission(handler, 'CalledByApi', {
      action: 'lambda:InvokeFunction',
      functionName: handler.live.functionArn,
      principal: 'apigateway.amazonaws.com',
      sourceArn: this.rest.arnForExecuteApi(),
    });
    // A new route is served only when its function may be called.
    this.rest.deploymentStage.node.addDependency(permission);
  }

  /** Writes the names of the functions into the stage's variables, by which the body calls them. */
  private nameHandlers(): void {
    const stage = this.rest.deploymentStage.node.defaultChild as CfnStage;
    stage.variables = Lazy.any({
      produce: () =>
        Object.fromEntries(
          Array.from(this.handlers, ([name, { live }]) => [handlerVariable(name), live.functionName]),
        ),
    });
    this.node.addValidation({
      validate: () =>
        [...handlerNames].filter((name) => !this.handlers.has(name)).map((name) => `${name} is not added`),
    });
  }

  /** Permits the rate check, and the authentication if the route has a scope (contract, sections 3 and 4). */
  grantRequestGuards(to: GatewayFunction, { scope }: Route): void {
    const { storage } = this.props;
    storage.grant(to, 'rate-counters', 'UpdateItem');
    if (scope === null) return;
    storage.grant(to, 'limit-overrides', 'Query');
    to.setVariables({ TOKEN_ISSUER: this.baseUrl });
    storage.grant(to, 'clients', 'GetItem');
    storage.grant(to, 'api-keys', 'GetItem');
    // The previous version needs GetItem: it reads single keys, and both versions run during a deployment.
    storage.grant(to, 'signing-keys', 'Scan', 'GetItem');
  }

  private addHandler(name: string, route: Route, needed: Needs): void {
    if (this.handlers.has(route.functionName)) return;
    const { stage, storage } = this.props;
    const { settings = [], sends = false, needsOwnUrl = false, grants } = needed;
    const handler = new GatewayFunction(this, `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, {
      stage,
      functionName: route.functionName,
      timeoutSeconds: requestTimeoutSeconds,
      // More memory means more CPU, which is half of a cold start that a request waits for.
      memoryMegabytes: 1024,
      settings: [
        ...(route.scope === null ? [] : tokenSettings),
        ...settings,
        ...(sends ? (['STAGE_CAPS', 'STAGE_SMS_SENDER'] as const) : []),
      ],
      hasPrices: sends,
    });
    this.grantRequestGuards(handler, route);
    if (sends) {
      handler.setVariables({ PRICES_FILE: pricesFile });
      storage.grant(handler, 'senders', 'Query', 'Scan');
      // A dry run reads the used part of the caps, and whether recipients are suppressed.
      storage.grant(handler, 'rate-counters', 'GetItem');
      storage.grant(handler, 'suppressions', 'BatchGetItem');
      // A reached spend cap is recorded.
      storage.grant(handler, 'activity-log', 'PutItem');
    }
    if (needsOwnUrl) handler.setVariables({ TOKEN_ISSUER: this.baseUrl });
    grants(handler, this.props);
    this.add(handler);
  }
}

function baseUrlOf(scope: Construct, api: SpecRestApi, stage: StageSettings): string {
  if (stage.publicUrl !== undefined) return stage.publicUrl;
  if (stage.customDomain !== undefined) return `https://${stage.customDomain.name}`;
  // The address does not refer to the deployment's stage, which depends on the functions that get this address.
  const { region, urlSuffix } = Stack.of(scope);
  return `https://${api.restApiId}.execute-api.${region}.${urlSuffix}/${apiStageName}`;
}
