/** The admin API: what each of its routes does, for a caller whose scope is already known to be `admin`. */
import { GatewayError } from '../../contract/errors.ts';
import { version } from '../../contract/version.ts';
import { assertIdLength } from '../../http/check-text.ts';
import { matchRoute } from '../../http/match-route.ts';
import {
  recipientInPath,
  suppressionBody,
  suppressionsQuery,
} from '../../message/suppression/manage-suppressions.ts';
import { defaultPageLimit } from '../../operation/list-query.ts';
import {
  type ApiRequest,
  type Operation,
  parseBody,
  parseFields,
  parseOptionalBody,
  parseQuery,
  requireCaller,
} from '../../operation/operation.ts';
import { adminUsageQuery, usageRange } from '../../usage/usage-query.ts';
import { listDeliveriesQuery } from '../../webhook/manage/delivery-operations.ts';
import { testRequestSchema } from '../../webhook/manage/endpoint-requests.ts';
import { resendRequestSchema } from '../../webhook/resend/request-resend.ts';
import { listActivity, retentionRange } from '../activity.ts';
import type { AdminDependencies } from '../admin-dependencies.ts';
import { attention } from '../attention.ts';
import { listClientNames } from '../client-names.ts';
import {
  changePermissions,
  changeWebhookUrl,
  clientIdOf,
  createApiKey,
  createClient,
  listClients,
  revokeApiKey,
  rotateClientSecret,
  rotateWebhookSecret,
  setClientDisabled,
  showClient,
} from '../clients.ts';
import { showConversation } from '../conversation.ts';
import { explainLimits } from '../explain-limits.ts';
import { sendInbound } from '../inbound.ts';
import { allOverrides, limitsOf, removeLimits, requireClientOrAll, setLimits } from '../limits.ts';
import { searchMessages, showMessage } from '../messages.ts';
import { allowOtps, listOtpHolds } from '../otp-holds.ts';
import { listOutbox } from '../outbox.ts';
import { search } from '../search.ts';
import { listSenders, removeSender, setSender } from '../senders.ts';
import { deleteSuppression, listSuppressions, putSuppression } from '../suppressions.ts';
import { listUsage, summarizeUsage, usageOf } from '../usage.ts';
import { webhookHealth } from '../webhook-health.ts';
import { deliveriesOf, listEndpoints, resendMany, showResendMany, testEndpoint } from '../webhook-log.ts';
import { resendWebhooks, showDelivery } from '../webhooks.ts';
import {
  activityQuery,
  allowOtpsBody,
  clientChangeBody,
  conversationQuery,
  endpointBody,
  inboundBody,
  limitsBody,
  messageQuery,
  newClientBody,
  outboxQuery,
  overviewQuery,
  pageQuery,
  personInPath,
  resendBody,
  searchQuery,
  senderBody,
  senderRowBody,
  usageSummaryQuery,
} from './admin-requests.ts';
import { type AdminApiRouteName, adminApiRoutes } from './admin-routes.ts';

const outboxMax = 200;

/** What an operation of the admin API gets. */
interface AdminRequest {
  readonly actor: string;
  readonly request: ApiRequest;
  /** From the path. */
  readonly path: (name: string) => string;
}

type AdminOperation = (request: AdminRequest) => Promise<unknown>;

export function adminOperations(dependencies: AdminDependencies) {
  return {
    listActivity: async ({ request }) => {
      const { client_id, since, until, ...rest } = parseQuery(activityQuery, request);
      const whole = retentionRange(dependencies);
      return listActivity(dependencies, {
        ...rest,
        clientId: client_id === undefined ? undefined : await clientIdOf(dependencies, client_id),
        since: since === undefined ? whole.since : new Date(since),
        until: until === undefined ? whole.until : new Date(until),
      });
    },
    listClients: async ({ request }) => {
      const { limit, cursor } = parseQuery(pageQuery, request);
      return listClients(dependencies, limit, cursor);
    },
    listClientNames: async () => listClientNames(dependencies),
    createClient: async ({ request, actor }) => {
      const { name, scopes, webhook_url } = parseBody(newClientBody(dependencies), request);
      return createClient(dependencies, actor, { name, scopes, webhookUrl: webhook_url ?? undefined });
    },
    showClient: async ({ path }) => showClient(dependencies, path('client_id')),
    changeClient: async ({ request, actor, path }) => {
      const clientId = path('client_id');
      const change = parseBody(clientChangeBody(dependencies), request);
      const { disabled, webhook_url, countries, senders } = change;
      if (disabled !== undefined) await setClientDisabled(dependencies, actor, clientId, disabled);
      if (webhook_url !== undefined) await changeWebhookUrl(dependencies, actor, clientId, webhook_url);
      await changePermissions(dependencies, actor, clientId, { countries, senders });
      return showClient(dependencies, clientId);
    },
    rotateClientSecret: async ({ actor, path }) => rotateClientSecret(dependencies, actor, path('client_id')),
    rotateWebhookSecret: async ({ actor, path }) =>
      rotateWebhookSecret(dependencies, actor, path('client_id')),
    createApiKey: async ({ actor, path }) => createApiKey(dependencies, actor, path('client_id')),
    revokeApiKey: async ({ actor, path }) => {
      await revokeApiKey(dependencies, actor, path('client_id'), path('key_id'));
      return showClient(dependencies, path('client_id'));
    },
    listOverrides: async () => ({ limits: await allOverrides(dependencies) }),
    showLimits: async ({ path }) => {
      await requireClientOrAll(dependencies, path('client_id'));
      return { limits: await limitsOf(dependencies, path('client_id')) };
    },
    showWebhookHealth: async ({ path }) => webhookHealth(dependencies, path('client_id')),
    setLimits: async ({ request, actor, path }) => {
      const { endpoint, ...change } = parseBody(limitsBody, request);
      return setLimits(dependencies, actor, path('client_id'), endpoint, change);
    },
    explainLimits: async ({ path }) => explainLimits(dependencies, path('client_id')),
    removeLimits: async ({ request, actor, path }) => {
      const { endpoint } = parseBody(endpointBody, request);
      await removeLimits(dependencies, actor, path('client_id'), endpoint);
      return { limits: await limitsOf(dependencies, path('client_id')) };
    },
    listSenders: async () => ({ senders: await listSenders(dependencies) }),
    setSender: async ({ request, actor }) => {
      const { client_id, channel, country, ...change } = parseBody(senderBody, request);
      return setSender(dependencies, actor, { client_id, channel, country }, change);
    },
    removeSender: async ({ request, actor }) => {
      const { client_id, destination } = parseBody(senderRowBody, request);
      await removeSender(dependencies, actor, client_id, destination);
      return { senders: await listSenders(dependencies) };
    },
    searchMessages: async ({ request }) => searchMessages(dependencies, parseQuery(messageQuery, request)),
    search: async ({ request }) => search(dependencies, parseQuery(searchQuery, request).q),
    showMessage: async ({ path }) => showMessage(dependencies, path('message_id')),
    resendWebhooks: async ({ request, actor }) => {
      const { delivery_ids, even_acknowledged } = parseBody(resendBody, request);
      const options = { evenAcknowledged: even_acknowledged };
      return { results: await resendWebhooks(dependencies, actor, delivery_ids, options) };
    },
    showWebhook: async ({ path }) => showDelivery(dependencies, path('delivery_id')),
    listWebhookEndpoints: async ({ path }) => ({
      webhook_endpoints: await listEndpoints(dependencies, path('client_id')),
    }),
    testWebhookEndpoint: async ({ request, actor, path }) => {
      const { event } = parseOptionalBody(testRequestSchema, request);
      return testEndpoint(dependencies, actor, path('client_id'), { endpointId: path('endpoint_id'), event });
    },
    listWebhookDeliveries: async ({ request, path }) => {
      const { limit = defaultPageLimit, ...query } = parseQuery(listDeliveriesQuery, request);
      return deliveriesOf(dependencies, path('client_id'), { ...query, limit });
    },
    resendWebhookDeliveries: async ({ request, actor, path }) =>
      resendMany(dependencies, actor, path('client_id'), parseBody(resendRequestSchema, request)),
    showWebhookResend: async ({ path }) => showResendMany(dependencies, path('client_id'), path('resend_id')),
    listSuppressions: async ({ request, path }) =>
      listSuppressions(dependencies, path('client_id'), parseQuery(suppressionsQuery, request)),
    putSuppression: async ({ request, actor, path }) => {
      const wanted = parseOptionalBody(suppressionBody, request);
      const recipient = recipientInPath(path('recipient'));
      return putSuppression(dependencies, actor, path('client_id'), recipient, wanted);
    },
    deleteSuppression: async ({ actor, path }) =>
      deleteSuppression(dependencies, actor, path('client_id'), recipientInPath(path('recipient'))),
    showConversation: async ({ request, path }) => {
      const { person } = parseFields(personInPath, { person: path('person') });
      return showConversation(dependencies, person, parseQuery(conversationQuery, request));
    },
    sendInbound: async ({ request }) => {
      const { to, ...message } = parseBody(inboundBody, request);
      return sendInbound(dependencies, { ...message, to: to ?? undefined });
    },
    showUsage: async ({ request }) => usageOf(dependencies, parseQuery(overviewQuery, request).span),
    listUsage: async ({ request }) => {
      const { client_id, ...query } = parseQuery(adminUsageQuery, request);
      return listUsage(dependencies, client_id, usageRange(query, dependencies.clock()));
    },
    summarizeUsage: async ({ request }) => {
      const { interval, at = dependencies.clock() } = parseQuery(usageSummaryQuery, request);
      const nameOf = async (id: string) => (await dependencies.clients.clients.find(id))?.name;
      return summarizeUsage({ ...dependencies, nameOf }, interval, at);
    },
    listOutbox: async ({ request }) =>
      listOutbox(dependencies, parseQuery(outboxQuery, request).to, outboxMax),
    listOtpHolds: async () => ({ otp_holds: await listOtpHolds(dependencies) }),
    allowOtps: async ({ request, actor, path }) => {
      const { always } = parseOptionalBody(allowOtpsBody, request);
      return allowOtps(dependencies, actor, path('client_id'), path('country'), always);
    },
    showAttention: async () => attention(dependencies),
    showAbout: async ({ request }) => {
      const { client_id, name } = requireCaller(request).client;
      const { stageCountries } = dependencies;
      return {
        version,
        client_id,
        name,
        outbox: dependencies.outbox !== undefined,
        allowed_countries: stageCountries ?? null,
      };
    },
  } satisfies Record<AdminApiRouteName, AdminOperation>;
}

type AdminOperations = ReturnType<typeof adminOperations>;

/** What each operation answers, by its name. */
export type AdminAnswers = {
  readonly [Name in AdminApiRouteName]: Awaited<ReturnType<AdminOperations[Name]>>;
};

/** Routes a request to its operation. No cache may keep a response. */
export function adminApi(operations: Readonly<Record<AdminApiRouteName, AdminOperation>>): Operation {
  const names = Object.keys(adminApiRoutes) as AdminApiRouteName[];
  const routes = names.map((name) => ({ ...adminApiRoutes[name], name }));
  return async (request) => {
    // One slash at the end changes nothing.
    const path = request.path.replace(/\/$/, '');
    const { route, pathParameters } = matchRoute(routes, request.method, path);
    const body = await operations[route.name]({
      request,
      actor: requireCaller(request).clientId,
      path: (parameter) => idIn(parameter, pathParameters[parameter] ?? ''),
    });
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, body, log: { operation: route.name } };
  };
}

/** @throws GatewayError where the segment is not percent-encoded text, or is too long for an id. */
function idIn(parameter: string, segment: string): string {
  let id: string;
  try {
    id = decodeURIComponent(segment);
  } catch {
    throw new GatewayError('invalid_request', 'The path is not percent-encoded UTF-8.', {
      details: [{ field: parameter, message: 'must be percent-encoded UTF-8' }],
    });
  }
  assertIdLength(id);
  return id;
}
