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
import { readDelivery, type WebhookContext } from '../delivery-store.dynamo.ts';
import { readEndpoint } from '../endpoint-store.dynamo.ts';
import { deliveryLog, deliverySummary, deliveryView, listDeliveriesQuery } from './delivery-log.ts';
import {
  requestResend,
  resendDelivery,
  resendRequestSchema,
  resendView,
  showResend,
} from './request-resend.ts';

export function listWebhookDeliveries(context: Parameters<typeof deliveryLog>[0]): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const query = parseQuery(listDeliveriesQuery, request);
    const limit = query.limit ?? defaultPageLimit;
    return { status: 200, body: await deliveryLog(context, clientId, { ...query, limit }) };
  };
}

export function getWebhookDelivery(context: WebhookContext): Operation {
  return async (request) => ({ status: 200, body: deliveryView(await ownDelivery(context, request)) });
}

/**
 * Makes one attempt now, also of an acknowledged delivery. If an attempt is due or running already, no other is added.
 */
export function resendWebhookDelivery(context: WebhookContext): Operation {
  return async (request) => {
    const seen = await ownDelivery(context, request);
    const { client_id, delivery_id, endpoint_id } = seen;
    const endpoint =
      endpoint_id === undefined ? undefined : await readEndpoint(context, client_id, endpoint_id);
    if (endpoint_id !== undefined && !endpoint?.enabled) throw standardError('endpoint_disabled');
    const { kind } = await resendDelivery(context, delivery_id, client_id, { evenAcknowledged: true });
    const resent = await ownDelivery(context, request);
    return { status: 202, body: deliverySummary(resent), log: { delivery_id, outcome: kind } };
  };
}

export function resendWebhookDeliveries(context: WebhookContext): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const wanted = parseBody(resendRequestSchema, request);
    const { resend_id, matched } = await requestResend(context, clientId, clientId, wanted);
    return { status: 202, body: { resend_id, matched }, log: { resend_id, matched } };
  };
}

export function getWebhookResend(context: WebhookContext): Operation {
  return async (request) => {
    const { resend_id = '' } = request.pathParameters;
    const found = await showResend(context, requireCaller(request).clientId, resend_id);
    return { status: 200, body: resendView(found) };
  };
}

/** @throws GatewayError `not_found` if the delivery is not the caller's. */
async function ownDelivery(context: WebhookContext, request: ApiRequest): Promise<Delivery> {
  const { delivery_id = '' } = request.pathParameters;
  // The table also has rows that are not deliveries.
  const delivery = isId('whd', delivery_id) ? await readDelivery(context, delivery_id) : undefined;
  if (delivery?.client_id !== requireCaller(request).clientId) throw standardError('not_found');
  return delivery;
}
