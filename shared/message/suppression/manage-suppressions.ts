/** A client's operations on its suppressions (contract, section 13). */
import * as z from 'zod/mini';
import { GatewayError, invalidFields, standardError } from '../../contract/errors.ts';
import { opaqueCursor } from '../../operation/cursor.ts';
import { defaultPageLimit, pageLimit } from '../../operation/list-query.ts';
import {
  type ApiRequest,
  type Operation,
  parseOptionalBody,
  parseQuery,
  requireCaller,
} from '../../operation/operation.ts';
import { optional, withDefault } from '../../operation/request-fields.ts';
import { canonicalRecipient, recipientRule, recipientSchema } from '../../recipient/phone-number.ts';
import {
  isSuppression,
  type Suppression,
  type SuppressionChange,
  type SuppressionScope,
  scopes,
} from './suppression.ts';
import type { RemovedSuppression, SuppressionList, SuppressionView } from './suppression-response.schema.ts';
import type { SuppressionStore } from './suppression-store.ts';

const reasonCharactersMax = 256;
/** Of a short code, or E.164. */
const recipientCursor = opaqueCursor(/^\+?[0-9]{1,15}$/);

export const suppressionBody = z.object({
  reason: optional(z.string().check(z.minLength(1), z.maxLength(reasonCharactersMax))),
  scope: withDefault(z.enum(scopes), 'messages'),
});

export const suppressionsQuery = z.object({
  recipient: optional(recipientSchema),
  limit: optional(pageLimit),
  cursor: optional(z.string()),
});

export function listSuppressions(suppressions: Pick<SuppressionStore, 'get' | 'list'>): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const query = parseQuery(suppressionsQuery, request);
    return { status: 200, body: await suppressionsOf(suppressions, clientId, query) };
  };
}

export async function suppressionsOf(
  suppressions: Pick<SuppressionStore, 'get' | 'list'>,
  clientId: string,
  { recipient, limit = defaultPageLimit, cursor }: z.output<typeof suppressionsQuery>,
): Promise<SuppressionList> {
  if (recipient !== undefined) {
    const found = await suppressions.get(clientId, recipient);
    return listView(found === undefined ? [] : [found], undefined);
  }
  const after = cursor === undefined ? undefined : recipientCursor.decode(cursor);
  const page = await suppressions.list(clientId, limit, after);
  return listView(page.suppressions, page.nextAfter);
}

export function putSuppression(suppressions: Pick<SuppressionStore, 'change'>): Operation {
  return async (request) => {
    // All fields are optional, so no body is the same as an empty one.
    const { reason, scope } = parseOptionalBody(suppressionBody, request);
    return { status: 200, body: await suppress(suppressions, changeOf(request, { scope, reason })) };
  };
}

export function deleteSuppression(suppressions: Pick<SuppressionStore, 'change'>): Operation {
  return async (request) => {
    const change = changeOf(request, { scope: undefined });
    return { status: 200, body: await endSuppression(suppressions, change) };
  };
}

/**
 * Repeating it changes nothing but the reason and the scope.
 *
 * @throws GatewayError where a change of a later time was made meanwhile.
 */
export async function suppress(
  suppressions: Pick<SuppressionStore, 'change'>,
  change: SuppressionChange & { readonly scope: SuppressionScope },
): Promise<SuppressionView> {
  const changed = await suppressions.change(change);
  if (changed.outcome === 'outdated' || !isSuppression(changed.row)) {
    throw new GatewayError('service_unavailable', 'Another request is changing this suppression. Try again.');
  }
  return suppressionView(changed.row);
}

/** @throws GatewayError `not_found` where the recipient is not suppressed. */
export async function endSuppression(
  suppressions: Pick<SuppressionStore, 'change'>,
  change: SuppressionChange,
): Promise<RemovedSuppression> {
  const { outcome } = await suppressions.change(change);
  if (outcome !== 'changed') throw standardError('not_found');
  return { recipient: change.recipient, deleted: true };
}

function changeOf<Scope extends SuppressionScope | undefined>(
  request: ApiRequest,
  change: { readonly scope: Scope; readonly reason?: string | undefined },
) {
  const { clientId } = requireCaller(request);
  return {
    ...change,
    client_id: clientId,
    recipient: recipientInPath(request.pathParameters.recipient ?? ''),
    source: 'client' as const,
    at: request.now,
    cause: request.workId,
  };
}

/** @throws GatewayError where the segment of the path is not a phone number. */
export function recipientInPath(segment: string): string {
  const recipient = canonicalRecipient(decoded(segment));
  if (recipient !== undefined) return recipient;
  throw invalidFields([{ field: 'recipient', message: recipientRule }]);
}

/** `%2B` is the plus of a number; whether it arrives decoded depends on the proxies before us. */
function decoded(segment: string): string {
  return segment.replace(/^%2b/i, '+');
}

export function suppressionView(row: Suppression): SuppressionView {
  const { recipient, scope, reason = null, source, suppressed_at, changed_at } = row;
  return { recipient, scope, reason, source, created_at: suppressed_at, updated_at: changed_at };
}

function listView(suppressions: readonly Suppression[], nextAfter: string | undefined): SuppressionList {
  const next = nextAfter === undefined ? {} : { next_cursor: recipientCursor.encode(nextAfter) };
  return { suppressions: suppressions.map(suppressionView), ...next };
}
