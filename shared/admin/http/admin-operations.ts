/** The admin API: maps each route to its operation. The caller's scope `admin` is already checked. */

import {
  type AdminApiRouteName,
  adminApiRoutes,
  type PathParameter,
} from '../../contract/admin-api-routes.ts';
import { GatewayError } from '../../contract/errors.ts';
import { type Mode, modes } from '../../contract/mode.ts';
import { version } from '../../contract/routes.ts';
import { matchRoute } from '../../http/match-route.ts';
import { assertIdLength } from '../../http/read-request.ts';
import {
  recipientInPath,
  suppressionBody,
  suppressionsQuery,
} from '../../message/suppression/manage-suppressions.ts';
import { defaultPageLimit } from '../../operation/list-query.ts';
import type { Operation } from '../../operation/operation.ts';
import { adminUsageQuery, usageRange } from '../../usage/usage-query.ts';
import { listDeliveriesQuery } from '../../webhook/log/delivery-log.ts';
import { resendRequestSchema } from '../../webhook/log/request-resend.ts';
import { testRequestSchema } from '../../webhook/manage-endpoints.ts';
import { activityQuery, actorOf, kindsOf, listActivity, retentionRange } from '../activity.ts';
import type { AdminContext } from '../admin-context.ts';
import { attention } from '../attention.ts';
import { listCarriers } from '../check-carriers.ts';
import {
  createApiKey,
  endPreviousSecret,
  newKeyBody,
  newSecretBody,
  revokeApiKey,
  rotateClientSecret,
  rotateWebhookSecret,
} from '../client-credentials.ts';
import { deleteSuppression, listSuppressions, putSuppression } from '../client-suppressions.ts';
import { diagnoseClient } from '../diagnosis/diagnose-client.ts';
import { rowsQuery } from '../edited-rows.ts';
import { countFailedWebhooks, endpointHealth, failedWebhooksQuery } from '../endpoint-health.ts';
import { explainLimits } from '../explain-limits.ts';
import { search, searchQuery } from '../find-anything.ts';
import { clientIdOf, listClientNames, ofMode } from '../find-client.ts';
import { cancelScheduledMessage, messageQuery, searchMessages, showMessage } from '../find-messages.ts';
import {
  endpointBody,
  limitsBody,
  limitsOf,
  listOverrides,
  removeLimits,
  setLimits,
  showLimits,
} from '../limits.ts';
import {
  changePermissions,
  changeSmartEncoding,
  changeWebhookUrl,
  clientChangeBody,
  clientsQuery,
  createClient,
  listClients,
  newClientBody,
  setClientDisabled,
  showClient,
} from '../manage-clients.ts';
import {
  listDeliveries,
  listEndpoints,
  resendMany,
  resendWebhook,
  showDelivery,
  showResendMany,
  testEndpoint,
} from '../manage-webhooks.ts';
import { allowOtps, allowOtpsBody, listOtpHolds, otpHoldsQuery } from '../otp-holds.ts';
import { listSenders, removeSender, senderBody, senderRowBody, setSender } from '../senders.ts';
import { inboundBody, listOutbox, outboxQuery, sendInbound } from '../simulated-messages.ts';
import { listUsage, summarizeUsage, usageSummaryQuery } from '../usage.ts';
import {
  type AdminOperation,
  readsBody,
  readsNothing,
  readsOptionalBody,
  readsQuery,
} from './admin-operation.ts';

export const adminOperations = {
  listActivity: readsQuery(activityQuery, async (ctx, { client_id, actor, kind, since, until, ...rest }) => {
    const whole = retentionRange(ctx);
    return listActivity(ctx, {
      ...rest,
      kind: kindsOf(kind),
      actor: actor === undefined ? undefined : await actorOf(ctx, actor),
      clientId: client_id === undefined ? undefined : await clientIdOf(ctx, client_id),
      since: since === undefined ? whole.since : new Date(since),
      until: until === undefined ? whole.until : new Date(until),
    });
  }),
  listClients: readsQuery(clientsQuery, listClients),
  listClientNames: readsNothing(listClientNames),
  createClient: readsBody(newClientBody, async (ctx, given, { actor }) => createClient(ctx, actor, given)),
  showClient: readsNothing(async (ctx, { path }) => showClient(ctx, path.client_id)),
  changeClient: readsBody(clientChangeBody, async (ctx, given, { actor, path }) => {
    const { disabled, webhook_url, smart_encoding, ...permissions } = given;
    const clientId = path.client_id;
    if (disabled !== undefined) await setClientDisabled(ctx, actor, clientId, disabled);
    if (webhook_url !== undefined) await changeWebhookUrl(ctx, actor, clientId, webhook_url);
    if (smart_encoding !== undefined) await changeSmartEncoding(ctx, actor, clientId, smart_encoding);
    await changePermissions(ctx, actor, clientId, permissions);
    return showClient(ctx, clientId);
  }),
  rotateClientSecret: readsOptionalBody(newSecretBody, async (ctx, given, { actor, path }) =>
    rotateClientSecret(ctx, actor, ofMode(path.client_id, given.test), given),
  ),
  endPreviousSecret: readsNothing(async (ctx, { actor, path }) => {
    await endPreviousSecret(ctx, actor, path.client_id);
    return showClient(ctx, path.client_id);
  }),
  rotateWebhookSecret: readsOptionalBody(newSecretBody, async (ctx, given, { actor, path }) =>
    rotateWebhookSecret(ctx, actor, ofMode(path.client_id, given.test), given),
  ),
  createApiKey: readsOptionalBody(newKeyBody, async (ctx, given, { actor, path }) =>
    createApiKey(ctx, actor, ofMode(path.client_id, given.test)),
  ),
  revokeApiKey: readsNothing(async (ctx, { actor, path }) => {
    await revokeApiKey(ctx, actor, path.client_id, path.key_id);
    return showClient(ctx, path.client_id);
  }),
  listOverrides: readsQuery(rowsQuery, listOverrides),
  showLimits: readsNothing(async (ctx, { path }) => {
    return { limits: await showLimits(ctx, path.client_id) };
  }),
  countFailedWebhooks: readsQuery(failedWebhooksQuery, async (ctx, given, { path }) =>
    countFailedWebhooks(ctx, path.client_id, given),
  ),
  diagnoseClient: readsNothing(async (ctx, { path }) => diagnoseClient(ctx, path.client_id)),
  showWebhookHealth: readsNothing(async (ctx, { path }) => ({
    endpoints: await endpointHealth(ctx, path.client_id),
  })),
  setLimits: readsBody(limitsBody, async (ctx, given, { actor, path }) =>
    setLimits(ctx, actor, path.client_id, given),
  ),
  explainLimits: readsNothing(async (ctx, { path }) => explainLimits(ctx, path.client_id)),
  removeLimits: readsBody(endpointBody, async (ctx, given, { actor, path }) => {
    await removeLimits(ctx, actor, path.client_id, given.endpoint);
    return { limits: await limitsOf(ctx, path.client_id) };
  }),
  listSenders: readsQuery(rowsQuery, listSenders),
  setSender: readsBody(senderBody, async (ctx, given, { actor }) => setSender(ctx, actor, given)),
  removeSender: readsBody(senderRowBody, async (ctx, given, { actor }) => {
    await removeSender(ctx, actor, given);
    return { ...given, removed: true };
  }),
  listCarriers: readsNothing(listCarriers),
  searchMessages: readsQuery(messageQuery, searchMessages),
  search: readsQuery(searchQuery, async (ctx, given) => search(ctx, given.q)),
  showMessage: readsNothing(async (ctx, { path }) => showMessage(ctx, path.message_id)),
  cancelMessage: readsNothing(async (ctx, { actor, path }) =>
    cancelScheduledMessage(ctx, actor, path.message_id),
  ),
  resendWebhook: readsNothing(async (ctx, { actor, path }) => resendWebhook(ctx, actor, path.delivery_id)),
  showWebhook: readsNothing(async (ctx, { path }) => showDelivery(ctx, path.delivery_id)),
  listWebhookEndpoints: readsNothing(async (ctx, { path }) => ({
    webhook_endpoints: await listEndpoints(ctx, path.client_id),
  })),
  testWebhookEndpoint: readsOptionalBody(testRequestSchema, async (ctx, { event }, { actor, path }) =>
    testEndpoint(ctx, actor, path.client_id, { endpointId: path.endpoint_id, event }),
  ),
  listWebhookDeliveries: readsQuery(
    listDeliveriesQuery,
    async (ctx, { limit = defaultPageLimit, ...query }, { path }) =>
      listDeliveries(ctx, path.client_id, { ...query, limit }),
  ),
  resendWebhookDeliveries: readsBody(resendRequestSchema, async (ctx, given, { actor, path }) =>
    resendMany(ctx, actor, path.client_id, given),
  ),
  showWebhookResend: readsNothing(async (ctx, { path }) =>
    showResendMany(ctx, path.client_id, path.resend_id),
  ),
  listSuppressions: readsQuery(suppressionsQuery, async (ctx, given, { path }) =>
    listSuppressions(ctx, path.client_id, given),
  ),
  putSuppression: readsOptionalBody(suppressionBody, async (ctx, given, { actor, path }) =>
    putSuppression(ctx, actor, {
      client: path.client_id,
      recipient: recipientInPath(path.recipient),
      ...given,
    }),
  ),
  deleteSuppression: readsNothing(async (ctx, { actor, path }) =>
    deleteSuppression(ctx, actor, {
      client: path.client_id,
      recipient: recipientInPath(path.recipient),
    }),
  ),
  sendInbound: readsBody(inboundBody, sendInbound),
  listUsage: readsQuery(adminUsageQuery, async (ctx, { client_id, ...query }) =>
    listUsage(ctx, client_id, usageRange(query, ctx.clock())),
  ),
  summarizeUsage: readsQuery(usageSummaryQuery, async (ctx, given) => {
    const { interval, at = ctx.clock(), since, until = ctx.clock() } = given;
    return summarizeUsage(ctx, since === undefined ? { interval, at } : { since, until });
  }),
  listOutbox: readsQuery(outboxQuery, listOutbox),
  listOtpHolds: readsQuery(otpHoldsQuery, listOtpHolds),
  allowOtps: readsOptionalBody(allowOtpsBody, async (ctx, { always }, { actor, path }) =>
    allowOtps(ctx, actor, { clientId: path.client_id, country: path.country, always }),
  ),
  showAttention: readsNothing(attention),
  showAbout: readsNothing(async (ctx, { caller: { client } }) => ({
    version,
    client_id: client.client_id,
    name: client.name,
    outbox: ctx.isSimulated || ctx.mode === 'test',
    allowed_countries: ctx.stageCountries ?? null,
  })),
} satisfies { readonly [Name in AdminApiRouteName]: AdminOperation<PathParameter<Name>> };

/** The response of an operation. */
export type ResponseOf<Name extends AdminApiRouteName> = Awaited<
  ReturnType<(typeof adminOperations)[Name]['run']>
>;

/** A row of a list in the response of an operation. */
export type RowOf<
  Name extends AdminApiRouteName,
  Field extends keyof ResponseOf<Name>,
> = ResponseOf<Name>[Field] extends readonly (infer Row)[] ? Row : never;

/** The header that selects the data in lists of all clients: `live` (also if the header is absent), or `test`. */
const modeHeader = 'data-mode';

/** Routes a request to its operation. No cache may store a response. */
export function adminApi(
  ctx: AdminContext,
  operations: Readonly<Record<AdminApiRouteName, AdminOperation>> = adminOperations,
): Operation {
  const names = Object.keys(adminApiRoutes) as AdminApiRouteName[];
  const routes = names.map((name) => ({ ...adminApiRoutes[name], name }));
  return async (request) => {
    // Ignores a single slash at the end of the path.
    const path = request.path.replace(/\/$/, '');
    const { route, pathParameters } = matchRoute(routes, request.method, path);
    const ids = Object.entries(pathParameters).map(([name, segment]) => [name, idIn(name, segment)]);
    const inMode = { ...ctx, mode: modeIn(request.headers[modeHeader]) };
    const body = await operations[route.name].run(inMode, request, Object.fromEntries(ids));
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, body, log: { operation: route.name } };
  };
}

function modeIn(header: string = 'live'): Mode {
  const mode = modes.find((one) => one === header);
  if (mode !== undefined) return mode;
  throw new GatewayError('invalid_request', `The header ${modeHeader} is live or test.`);
}

/** @throws GatewayError if the segment is not percent-encoded text, or is too long for an id. */
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
