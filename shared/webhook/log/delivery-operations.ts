/** A client's operations on the log of its webhook deliveries (contract, section 12). */
import { standardError } from '../../contract/errors.ts';
import { defaultPageLimit } from '../../operation/list-query.ts';
import {
  type ApiRequest,
  type Operation,
  parseBody,
  parseQuery,
  requireCaller,
} from '../../operation/operation.ts';
import { isId } from '../../platform/ids.ts';
import type { Delivery } from '../delivery.ts';
import {
  deliveryLog,
  deliverySummary,
  deliveryView,
  listDeliveriesQuery,
  type WebhookLogDependencies,
} from './delivery-log.ts';
import { requestResend, resend, resendRequestSchema, resendView, showResend } from './request-resend.ts';

type OwnDeliveries = Pick<WebhookLogDependencies, 'deliveries'>;

export function listWebhookDeliveries(dependencies: Parameters<typeof deliveryLog>[0]): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const query = parseQuery(listDeliveriesQuery, request);
    const limit = query.limit ?? defaultPageLimit;
    return { status: 200, body: await deliveryLog(dependencies, clientId, { ...query, limit }) };
  };
}

export function getWebhookDelivery(dependencies: OwnDeliveries): Operation {
  return async (request) => ({ status: 200, body: deliveryView(await ownDelivery(dependencies, request)) });
}

/**
 * Makes one attempt now, also of an acknowledged delivery. If an attempt is due or running already, no other is added.
 */
export function resendWebhookDelivery(dependencies: WebhookLogDependencies): Operation {
  return async (request) => {
    const seen = await ownDelivery(dependencies, request);
    const { client_id, delivery_id, endpoint_id } = seen;
    const endpoint =
      endpoint_id === undefined ? undefined : await dependencies.endpoints.get(client_id, endpoint_id);
    if (endpoint_id !== undefined && !endpoint?.enabled) throw standardError('endpoint_disabled');
    const { kind } = await resend(dependencies, delivery_id, client_id, { evenAcknowledged: true });
    const resent = await ownDelivery(dependencies, request);
    return { status: 202, body: deliverySummary(resent), log: { delivery_id, outcome: kind } };
  };
}

export function resendWebhookDeliveries(dependencies: WebhookLogDependencies): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const wanted = parseBody(resendRequestSchema, request);
    const { resend_id, matched } = await requestResend(dependencies, clientId, clientId, wanted);
    return { status: 202, body: { resend_id, matched }, log: { resend_id, matched } };
  };
}

export function getWebhookResend(dependencies: Pick<WebhookLogDependencies, 'resends'>): Operation {
  return async (request) => {
    const { resend_id = '' } = request.pathParameters;
    const found = await showResend(dependencies, requireCaller(request).clientId, resend_id);
    return { status: 200, body: resendView(found) };
  };
}

/** @throws GatewayError `not_found` if the delivery is not the caller's. */
async function ownDelivery({ deliveries }: OwnDeliveries, request: ApiRequest): Promise<Delivery> {
  const { delivery_id = '' } = request.pathParameters;
  // The table also has rows that are not deliveries.
  const delivery = isId('whd', delivery_id) ? await deliveries.get(delivery_id) : undefined;
  if (delivery?.client_id !== requireCaller(request).clientId) throw standardError('not_found');
  return delivery;
}
