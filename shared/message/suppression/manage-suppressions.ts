/** A client's operations on its suppressions (contract, section 13). */
import * as z from 'zod/mini';
import { invalidFields, isConcurrentChange, standardError } from '../../contract/errors.ts';
import { canonicalRecipient, recipientFault, recipientInQuery } from '../../contract/phone-number.ts';
import { optional, withDefault } from '../../operation/fields.ts';
import { defaultPageLimit, opaqueCursor, pageLimit } from '../../operation/list-query.ts';
import {
  type ApiRequest,
  type Operation,
  parseOptionalBody,
  parseQuery,
  requireCaller,
} from '../../operation/operation.ts';
import { retry } from '../../platform/retry.ts';
import type { RemovedSuppression, SuppressionList, SuppressionView } from '../message-response.schema.ts';
import {
  type Changed,
  isSuppression,
  type Suppression,
  type SuppressionChange,
  type SuppressionRow,
  type SuppressionScope,
  scopes,
} from './suppression.ts';
import type { SuppressionStore } from './suppression-store.dynamo.ts';

/**
 * The number of retries is that of the requests for one recipient that may be in flight at once: each retry follows a
 * change by another request.
 */
const conflictRetries = { delaysMs: new Array<number>(40).fill(0), isRetryable: isConcurrentChange };
const reasonCharactersMax = 256;
/** The cursor of a recipient: any text, because a person may have made its row, of a length that the key can have. */
const recipientCursor = opaqueCursor(/^.{1,1024}$/su);

export const suppressionBody = z.object({
  reason: optional(z.string().check(z.minLength(1), z.maxLength(reasonCharactersMax))),
  scope: withDefault(z.enum(scopes), 'messages'),
});

export const suppressionsQuery = z.object({
  recipient: optional(recipientInQuery),
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

export function deleteSuppression(suppressions: Pick<SuppressionStore, 'get' | 'change'>): Operation {
  return async (request) => {
    const change = changeOf(request, { scope: undefined });
    return { status: 200, body: await endSuppression(suppressions, change) };
  };
}

/** Repeating it changes nothing but the reason and the scope. @throws GatewayError `concurrent_change` */
export async function suppress(
  suppressions: Pick<SuppressionStore, 'change'>,
  change: SuppressionChange & { readonly scope: SuppressionScope },
): Promise<SuppressionView> {
  const { row } = await changeNow(suppressions, change);
  if (!isSuppression(row)) throw new Error('a suppressed recipient has no suppression');
  return suppressionView(row);
}

/**
 * What ends nothing writes nothing: otherwise a STOP of before, whose notification is late, would count as older.
 *
 * @throws GatewayError `not_found` where the recipient is not suppressed.
 */
export async function endSuppression(
  suppressions: Pick<SuppressionStore, 'get' | 'change'>,
  change: SuppressionChange,
): Promise<RemovedSuppression> {
  const found = await suppressions.get(change.client_id, change.recipient, { consistent: true });
  if (found === undefined) throw standardError('not_found');
  const { outcome } = await changeNow(suppressions, change, found);
  if (outcome !== 'changed') throw standardError('not_found');
  return { recipient: change.recipient, deleted: true };
}

/**
 * A request changes what it finds, unlike a notification, which may be about a time long ago. If a later change is stored, by
 * another request in the same millisecond or by a clock that is ahead, this one follows it. It does not follow a later word of
 * the person that it has not found.
 *
 * @throws GatewayError `concurrent_change`
 */
async function changeNow(
  suppressions: Pick<SuppressionStore, 'change'>,
  change: SuppressionChange,
  found?: SuppressionRow,
): Promise<Changed> {
  let { at } = change;
  const changed = await retry(conflictRetries, async () => {
    const changing = await suppressions.change({ ...change, at });
    if (changing.outcome !== 'outdated' || isNewWord(changing.row, change, found)) return changing;
    at = new Date(Date.parse(changing.row.changed_at) + 1);
    throw standardError('concurrent_change');
  });
  if (changed.outcome === 'outdated') throw standardError('concurrent_change');
  return changed;
}

function isNewWord(
  row: SuppressionRow,
  { at }: SuppressionChange,
  found: SuppressionRow | undefined,
): boolean {
  return row.source === 'keyword' && new Date(row.changed_at) > at && row.changed_at !== found?.changed_at;
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

/** @throws GatewayError if the segment of the path is not a phone number. */
export function recipientInPath(segment: string): string {
  const text = decoded(segment);
  const recipient = canonicalRecipient(text);
  if (recipient !== undefined) return recipient;
  throw invalidFields([{ field: 'recipient', message: recipientFault(text) }]);
}

/** The proxies before us decide whether a segment arrives percent-encoded; no number contains a `%`. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function suppressionView(row: Suppression): SuppressionView {
  const { recipient, scope, reason = null, source, suppressed_at, changed_at } = row;
  // A refusal of the carrier begins a suppression without being anybody's newest word.
  const updated_at = changed_at > suppressed_at ? changed_at : suppressed_at;
  return { recipient, scope, reason, source, created_at: suppressed_at, updated_at };
}

function listView(suppressions: readonly Suppression[], nextAfter: string | undefined): SuppressionList {
  const next = nextAfter === undefined ? {} : { next_cursor: recipientCursor.encode(nextAfter) };
  return { suppressions: suppressions.map(suppressionView), ...next };
}
