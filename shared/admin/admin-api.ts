/** The admin API: what each of its routes does, for a caller whose scope is already known to be `admin`. */
import httpRouter from '@middy/http-router';
import type * as z from 'zod/mini';
import { type ApiRequest, type ApiResponse, type Operation, parseBody, requireCaller } from '../api.ts';
import { GatewayError } from '../errors.ts';
import { unmatchedError } from '../http/refuse-unmatched.ts';
import { version } from '../version.ts';
import { type AdminApiRouteName, adminApiRoutes } from './admin-routes.ts';
import {
  addApiKey,
  addClient,
  changePermissions,
  changeWebhookUrl,
  clientIdOf,
  disableClient,
  listClients,
  renewClientSecret,
  renewWebhookSecret,
  showClient,
  withdrawApiKey,
} from './clients.ts';
import { figuresOf } from './figures.ts';
import { allOverrides, limitsOf, removeLimits, setLimits } from './limits.ts';
import { searchMessages, showMessage } from './messages.ts';
import { listOutbox } from './outbox.ts';
import type { AdminPorts } from './ports.ts';
import {
  activityQuery,
  clientChangeBody,
  endpointBody,
  figuresQuery,
  limitsBody,
  messageQuery,
  newClientBody,
  outboxQuery,
  pageQuery,
  resendBody,
} from './requests.ts';
import { listActivity, resendWebhooks, retained, showDelivery } from './webhooks.ts';

const outboxMax = 200;

/** What an operation of the admin API is given. */
interface AdminRequest {
  readonly actor: string;
  readonly request: ApiRequest;
  /** From the path. */
  readonly path: (name: string) => string;
}

type AdminOperation = (request: AdminRequest) => Promise<unknown>;

export function adminOperations(ports: AdminPorts): Readonly<Record<AdminApiRouteName, AdminOperation>> {
  return {
    listActivity: async ({ request }) => {
      const { client_id, since, until, ...rest } = parseQuery(activityQuery, request);
      const whole = retained(ports);
      return listActivity(ports, {
        ...rest,
        clientId: client_id === undefined ? undefined : await clientIdOf(ports, client_id),
        since: since === undefined ? whole.since : new Date(since),
        until: until === undefined ? whole.until : new Date(until),
      });
    },
    listClients: async ({ request }) => {
      const { limit, cursor } = parseQuery(pageQuery, request);
      return listClients(ports, limit, cursor);
    },
    createClient: async ({ request, actor }) => {
      const { name, scopes, webhook_url } = parseBody(newClientBody(ports), request.body);
      return addClient(ports, actor, { name, scopes, webhookUrl: webhook_url ?? undefined });
    },
    showClient: async ({ path }) => showClient(ports, path('client_id')),
    changeClient: async ({ request, actor, path }) => {
      const clientId = path('client_id');
      const change = parseBody(clientChangeBody(ports), request.body);
      const { disabled, webhook_url, countries, senders } = change;
      if (disabled !== undefined) await disableClient(ports, actor, clientId, disabled);
      if (webhook_url !== undefined) await changeWebhookUrl(ports, actor, clientId, webhook_url);
      await changePermissions(ports, actor, clientId, { countries, senders });
      return showClient(ports, clientId);
    },
    renewClientSecret: async ({ actor, path }) => renewClientSecret(ports, actor, path('client_id')),
    renewWebhookSecret: async ({ actor, path }) => renewWebhookSecret(ports, actor, path('client_id')),
    createApiKey: async ({ actor, path }) => addApiKey(ports, actor, path('client_id')),
    revokeApiKey: async ({ actor, path }) => {
      await withdrawApiKey(ports, actor, path('client_id'), path('key_id'));
      return showClient(ports, path('client_id'));
    },
    listOverrides: async () => ({ limits: await allOverrides(ports) }),
    showLimits: async ({ path }) => {
      await showClient(ports, path('client_id'));
      return { limits: await limitsOf(ports, path('client_id')) };
    },
    setLimits: async ({ request, actor, path }) => {
      const { endpoint, ...change } = parseBody(limitsBody, request.body);
      return setLimits(ports, actor, path('client_id'), endpoint, change);
    },
    removeLimits: async ({ request, actor, path }) => {
      const { endpoint } = parseBody(endpointBody, request.body);
      await removeLimits(ports, actor, path('client_id'), endpoint);
      return { limits: await limitsOf(ports, path('client_id')) };
    },
    searchMessages: async ({ request }) => {
      const { limit, cursor, ...filter } = parseQuery(messageQuery, request);
      return searchMessages(ports, filter, limit, cursor);
    },
    showMessage: async ({ path }) => showMessage(ports, path('message_id')),
    resendWebhooks: async ({ request, actor }) => {
      const { delivery_ids, even_acknowledged } = parseBody(resendBody, request.body);
      const options = { evenAcknowledged: even_acknowledged };
      return { results: await resendWebhooks(ports, actor, delivery_ids, options) };
    },
    showWebhook: async ({ path }) => showDelivery(ports, path('delivery_id')),
    showFigures: async ({ request }) => figuresOf(ports, parseQuery(figuresQuery, request).span),
    listOutbox: async ({ request }) => listOutbox(ports, parseQuery(outboxQuery, request).to, outboxMax),
    showAbout: async ({ request }) => {
      const { client_id, name } = requireCaller(request).client;
      return { version, client_id, name, outbox: ports.outbox !== undefined };
    },
  };
}

/** What the router reads of an event, and passes on. */
interface RoutedEvent {
  readonly httpMethod: string;
  readonly path: string;
  readonly pathParameters: Readonly<Record<string, string>>;
  readonly request: ApiRequest;
}

type Router = (event: RoutedEvent) => Promise<ApiResponse>;

/** Routes a request to its operation. No cache may keep an answer. */
export function adminApi(operations: Readonly<Record<AdminApiRouteName, AdminOperation>>): Operation {
  const names = Object.keys(adminApiRoutes) as AdminApiRouteName[];
  const routes = names.map((name) => ({
    ...adminApiRoutes[name],
    handler: async ({ request, pathParameters }: RoutedEvent): Promise<ApiResponse> => ({
      status: 200,
      headers: { 'Cache-Control': 'no-store' },
      body: await operations[name]({
        request,
        actor: requireCaller(request).clientId,
        path: (parameter) => idIn(parameter, pathParameters[parameter] ?? ''),
      }),
      log: { operation: name },
    }),
  }));
  const notFoundResponse = ({ method, path }: { method: string; path: string }): never => {
    throw unmatchedError(method, path, Object.values(adminApiRoutes));
  };
  // The library's types know Lambda's own events alone; of an event it reads what RoutedEvent has.
  const router = httpRouter({ routes, notFoundResponse } as never) as unknown as Router;
  return async (request) =>
    router({ httpMethod: request.method, path: request.path, pathParameters: {}, request });
}

/** No id of ours is longer. */
const idLengthMax = 128;

/** @throws GatewayError where the segment is no text, or can be the id of nothing. */
function idIn(parameter: string, segment: string): string {
  let id: string;
  try {
    id = decodeURIComponent(segment);
  } catch {
    throw new GatewayError('invalid_request', 'The path is not percent-encoded UTF-8.', {
      details: [{ field: parameter, message: 'must be percent-encoded UTF-8' }],
    });
  }
  if (id.length <= idLengthMax) return id;
  throw new GatewayError('not_found', 'There is nothing at this path.');
}

/** @throws GatewayError that names every faulty parameter. */
function parseQuery<S extends z.ZodMiniType>(schema: S, { query }: ApiRequest): z.output<S> {
  return parseBody(schema, query);
}
