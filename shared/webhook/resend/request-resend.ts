/** Requests to resend many of a client's webhooks (contract, section 12): the same for the client and administrators. */
import * as z from 'zod/mini';
import type { ActivityLog } from '../../activity/activity-log.ts';
import { standardError } from '../../contract/errors.ts';
import { requestTimeoutSeconds } from '../../contract/routes.ts';
import { dateTime } from '../../operation/date-time.ts';
import { optional } from '../../operation/request-fields.ts';
import { addSeconds } from '../../platform/clock.ts';
import { derivedIdAt, isId } from '../../platform/ids.ts';
import { withoutUndefined } from '../../platform/without-undefined.ts';
import { isDestinationArn } from '../aws-destination/aws-destination.ts';
import type { EndpointReader } from '../endpoints/endpoint-store.ts';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint.ts';
import { newResend, type Resend, type ResendFilter, resendableStates, resendIdOf } from './resend.ts';
import { type RunResendDependencies, runResend } from './run-resend.ts';

export interface RequestResendDependencies extends RunResendDependencies {
  readonly endpoints: EndpointReader;
  readonly activityLog: ActivityLog;
  readonly retentionDays: number;
}

/** As `originOf` gives it. */
const originText = z
  .string()
  .check(
    z.refine(
      (text) => URL.parse(text)?.origin === text || isDestinationArn(text),
      'must be an origin such as https://example.com, or the ARN of a queue or event bus',
    ),
  );

export const resendRequestSchema = z
  .object({
    endpoint_id: optional(z.string()),
    origin: optional(originText),
    state: optional(z.enum(resendableStates)),
    since: dateTime,
    until: optional(dateTime),
  })
  .check(
    z.refine(({ endpoint_id, origin: given }) => endpoint_id === undefined || given === undefined, {
      path: ['origin'],
      error: 'cannot be combined with endpoint_id',
    }),
    z.refine(({ since, until }) => until === undefined || since <= until, {
      path: ['until'],
      error: 'must not be before since',
    }),
  );
export type ResendRequest = z.output<typeof resendRequestSchema>;

/** How long a request works itself; the rest is done by the runs of each minute. */
const inRequestSeconds = 4;
/** A request without an end is the same request again for this long, and until it is completed. */
export const sameRequestMinutes = 10;
const [earliestTime, latestTime] = [0, Date.parse('9999-12-31T23:59:59.999Z')];

/**
 * Stores the request, with its entry in the Activity Log, and begins. The same request gives the same id and sends nothing
 * again.
 *
 * @throws GatewayError `not_found` or `endpoint_disabled`
 */
export async function requestResend(
  dependencies: RequestResendDependencies,
  clientId: string,
  actor: string,
  request: ResendRequest,
): Promise<Resend> {
  const { endpoint_id } = request;
  if (endpoint_id !== undefined) {
    const isKnown = isId('whe', endpoint_id);
    assertEnabled(isKnown ? await dependencies.endpoints.get(clientId, endpoint_id) : undefined);
  }
  const now = dependencies.clock();
  const filter = filterOf(request, now);
  const known = await sameRequest(
    dependencies,
    clientId,
    filter,
    request.until === undefined ? now : undefined,
  );
  if ('status' in known) return known;
  const { resendId } = known;
  const wanted = newResend(
    { resendId, clientId, actor, filter },
    now,
    dependencies.retentionDays,
    dependencies.newRevision(),
  );
  await dependencies.activityLog.add({
    entry_id: derivedIdAt('act', now, 'webhooks_resent', resendId, actor),
    kind: 'webhooks_resent',
    at: now.toISOString(),
    summary: `${actor} asked for the ${filter.state} webhooks of ${destinationText(filter)} to be sent again`,
    client_id: clientId,
    actor,
    after: { resend_id: resendId, ...filter },
  });
  // Before the row, so that the run of each minute finds every request. The run drops an id without a row, so it is due
  // when this function has ended.
  await dependencies.dueItemIndex.add('resends', [
    { id: resendId, dueAt: addSeconds(now, requestTimeoutSeconds) },
  ]);
  await dependencies.resends.create(wanted);
  const begun = await runResend(dependencies, resendId, addSeconds(now, inRequestSeconds));
  return begun ?? wanted;
}

/** @throws GatewayError `not_found` */
export async function showResend(
  { resends }: Pick<RequestResendDependencies, 'resends'>,
  clientId: string,
  resendId: string,
): Promise<Resend> {
  const resend = isId('whr', resendId) ? await resends.get(resendId) : undefined;
  if (resend?.client_id !== clientId) throw standardError('not_found');
  return resend;
}

function assertEnabled(endpoint: WebhookEndpoint | undefined): void {
  if (endpoint === undefined) throw standardError('not_found');
  if (!endpoint.enabled) throw standardError('endpoint_disabled');
}

function filterOf(request: ResendRequest, now: Date): ResendFilter {
  const { endpoint_id, origin, state, since, until } = request;
  return {
    ...withoutUndefined({ endpoint_id, origin }),
    state: state ?? 'failed',
    since: isoOf(since),
    until: isoOf(until ?? now),
  };
}

/** Ids and sortable texts have years of four digits from 1970 on. */
function isoOf(at: Date): string {
  return new Date(Math.min(latestTime, Math.max(earliestTime, at.getTime()))).toISOString();
}

/**
 * The row of the same request, if it counts as the same; otherwise the id of this one.
 *
 * @param openAt - the time of a request without an end
 */
async function sameRequest(
  { resends }: Pick<RequestResendDependencies, 'resends'>,
  clientId: string,
  filter: ResendFilter,
  openAt: Date | undefined,
): Promise<Resend | { readonly resendId: string }> {
  if (openAt === undefined) {
    const resendId = resendIdOf(clientId, filter, undefined);
    return (await resends.get(resendId)) ?? { resendId };
  }
  const period = Math.floor(openAt.getTime() / (sameRequestMinutes * 60_000));
  const resendId = resendIdOf(clientId, filter, period);
  const previousId = resendIdOf(clientId, filter, period - 1);
  const [latest, earlier] = await Promise.all([resends.get(resendId), resends.get(previousId)]);
  const isSame =
    earlier !== undefined &&
    (earlier.status !== 'completed' ||
      addSeconds(new Date(earlier.created_at), sameRequestMinutes * 60) > openAt);
  return latest ?? (isSame ? earlier : { resendId });
}

function destinationText({ endpoint_id, origin }: ResendFilter): string {
  return endpoint_id ?? origin ?? 'the client';
}
