/** A client's operations on its suppressions (contract, section 13). */
import * as z from 'zod/mini';
import { invalidFields, standardError } from '../../contract/errors.ts';
import { canonicalPerson, personFault, personInQuery } from '../../contract/phone-number.ts';
import { recipientTypeOf } from '../../contract/recipient-forms.ts';
import { optional, withDefault } from '../../operation/fields.ts';
import { defaultPageLimit, opaqueCursor, pageLimit } from '../../operation/list-query.ts';
import {
  type ApiRequest,
  type Operation,
  parseOptionalBody,
  parseQuery,
  requireCaller,
} from '../../operation/operation.ts';
import type { Context } from '../../platform/context.ts';
import type { removedSuppression, SuppressionList, SuppressionView } from '../message-response.schema.ts';
import {
  isSuppression,
  type Suppression,
  type SuppressionChange,
  type SuppressionScope,
  scopes,
} from './suppression.ts';
import {
  listClientSuppressions,
  removeSuppression,
  storeSuppression,
  suppressionOf,
} from './suppressions.dynamo.ts';

const reasonCharactersMax = 256;
/** The cursor is a recipient. It can be any text that a key can contain, because a row may be written by hand. */
const recipientCursor = opaqueCursor(/^.{1,1024}$/su);

export const suppressionBody = z.object({
  reason: optional(z.string().check(z.minLength(1), z.maxLength(reasonCharactersMax))),
  scope: withDefault(z.enum(scopes), 'messages'),
});

export const suppressionsQuery = z.object({
  recipient: optional(personInQuery),
  limit: optional(pageLimit),
  cursor: optional(z.string()),
});

export function listSuppressions(ctx: Context<'SUPPRESSIONS_TABLE'>): Operation {
  return async (request) => {
    const { clientId } = requireCaller(request);
    const query = parseQuery(suppressionsQuery, request);
    return { status: 200, body: await suppressionsOf(ctx, clientId, query) };
  };
}

export async function suppressionsOf(
  ctx: Context<'SUPPRESSIONS_TABLE'>,
  clientId: string,
  { recipient, limit = defaultPageLimit, cursor }: z.output<typeof suppressionsQuery>,
): Promise<SuppressionList> {
  if (recipient !== undefined) {
    const found = await suppressionOf(ctx, clientId, recipient);
    return listView(found === undefined ? [] : [found], undefined);
  }
  const page = await listClientSuppressions(ctx, clientId, limit, recipientCursor.decode(cursor));
  return listView(page.suppressions, page.nextAfter);
}

export function putSuppression(ctx: Context<'SUPPRESSIONS_TABLE'>): Operation {
  return async (request) => {
    // All fields are optional, so an absent body is the same as an empty one.
    const wanted = parseOptionalBody(suppressionBody, request);
    return { status: 200, body: await suppress(ctx, { ...changeOf(request), ...wanted }) };
  };
}

export function deleteSuppression(ctx: Context<'SUPPRESSIONS_TABLE'>): Operation {
  return async (request) => ({ status: 200, body: await endSuppression(ctx, changeOf(request)) });
}

/** A repeat changes only the reason and the scope. @throws GatewayError `concurrent_change` */
export async function suppress(
  ctx: Context<'SUPPRESSIONS_TABLE'>,
  wanted: SuppressionChange & {
    readonly scope: SuppressionScope;
    readonly reason?: string | undefined;
  },
): Promise<SuppressionView> {
  const row = await storeSuppression(ctx, wanted);
  if (!isSuppression(row)) throw new Error('a suppressed recipient has no suppression');
  return suppressionView(row);
}

/**
 * @throws GatewayError `not_found` if the recipient is not suppressed; `concurrent_change` if the recipient wrote a keyword
 * meanwhile.
 */
export async function endSuppression(
  ctx: Context<'SUPPRESSIONS_TABLE'>,
  ending: SuppressionChange,
): Promise<z.output<typeof removedSuppression>> {
  const ended = await removeSuppression(ctx, ending);
  if (ended === undefined) throw standardError('not_found');
  const [sender] = ended.stillFrom;
  return {
    recipient: ending.recipient,
    recipient_type: recipientTypeOf(ending.recipient),
    deleted: true,
    still_suppressed_from: sender,
  };
}

function changeOf(request: ApiRequest): SuppressionChange {
  const { clientId } = requireCaller(request);
  return {
    client_id: clientId,
    recipient: recipientInPath(request.pathParameters.recipient ?? ''),
    source: 'client',
    at: request.now,
  };
}

/** @throws GatewayError if this part of the path is neither a phone number nor an id. */
export function recipientInPath(segment: string): string {
  const text = decoded(segment);
  const recipient = canonicalPerson(text);
  if (recipient !== undefined) return recipient;
  throw invalidFields([{ field: 'recipient', message: personFault(text) }]);
}

/** Some proxies decode this part of the path, and some do not. No number or id contains a `%`. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function suppressionView(row: Suppression): SuppressionView {
  const { recipient, scope, reason = null, source, suppressed_at, changed_at } = row;
  // If a carrier's refusal started the suppression, neither the recipient nor the client has changed it, so its start
  // counts.
  const updated_at = changed_at > suppressed_at ? changed_at : suppressed_at;
  return {
    recipient,
    recipient_type: recipientTypeOf(recipient),
    scope,
    reason,
    source,
    created_at: suppressed_at,
    updated_at,
  };
}

function listView(suppressions: readonly Suppression[], nextAfter: string | undefined): SuppressionList {
  return { suppressions: suppressions.map(suppressionView), ...recipientCursor.next(nextAfter) };
}
