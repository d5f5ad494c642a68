/**
 * Lists a client's deliveries by its messages, newest message first. Deliveries are not indexed: their ids follow
 * from a message, its events and the client's endpoints. One call looks up a bounded number of ids, and ends at the
 * start of the next page.
 */
import { decodeTime } from 'ulid';
import type { Activity, ActivityPages } from '../../activity/activity-log.ts';
import type { ActivityLog } from '../../activity/write-activity.dynamo.ts';
import type { Message } from '../../message/message.ts';
import { listPosition, type MessageList } from '../../message/store/message-list.dynamo.ts';
import type { MessageStore } from '../../message/store/message-store.ts';
import { invalidCursor, opaqueCursor } from '../../operation/list-query.ts';
import type { Sleep } from '../../platform/clock.ts';
import { idRange } from '../../platform/ids.ts';
import { type Delivery, deliveryIdOf, disabledNoticeId } from '../delivery.ts';
import type { DeliveryStore, ResendStore } from '../delivery-store.dynamo.ts';
import type { EndpointReader } from '../endpoint-store.dynamo.ts';
import { type EnqueueDependencies, eventsOf } from '../plan-deliveries.ts';
import type { WebhookEndpoint } from '../webhook-endpoint.ts';

export interface WebhookLogDependencies extends EnqueueDependencies {
  /** Webhooks are found by the messages that they are about, failed ones by their entries in the Activity Log. */
  readonly messages: Pick<MessageStore, 'get' | 'getMany'>;
  readonly list: MessageList;
  readonly activity: ActivityPages;
  readonly deliveries: DeliveryStore;
  readonly resends: ResendStore;
  readonly endpoints: EndpointReader;
  readonly accountUrlOf: (clientId: string) => Promise<string | undefined>;
  readonly activityLog: ActivityLog;
  readonly reportFailedDelivery: (delivery: Delivery) => void;
  readonly sleep: Sleep;
}

/** A delivery that a message may have had. */
export interface Candidate {
  readonly position: string;
  readonly message: Message;
  readonly deliveryId: string;
  readonly event: string;
  readonly endpointId: string | undefined;
  readonly happenedAt: string;
}

export interface Located {
  readonly candidate: Candidate;
  /** Undefined if no worker has claimed it yet, or if there was nothing to deliver. */
  readonly delivery: Delivery | undefined;
}

interface ByMessagesQuery {
  readonly clientId: string;
  /** The only message to search, instead of all. */
  readonly message?: Message | undefined;
  /** The earliest time at which the messages were accepted, ISO 8601, inclusive. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** The endpoints; undefined means the URL of the message or the account. */
  readonly endpointIds: readonly (string | undefined)[];
  readonly event?: string | undefined;
  /** The position at which the page before ended. */
  readonly after?: string | undefined;
  readonly consistent?: boolean | undefined;
}

/** The ids that one call looks at, about. */
const idsPerPage = 400;
const messagesPerPageMax = 100;
/** They sort before and after every position. */
const [first, last] = ['0', '~'];

/** @returns also the position at which the next page begins; undefined after the last message */
export async function deliveriesOfMessages(
  dependencies: Pick<WebhookLogDependencies, 'messages' | 'list' | 'deliveries'>,
  query: ByMessagesQuery,
) {
  const { messages, end } = await messagesOf(dependencies, query);
  const { after = last } = query;
  const candidates = messages
    .flatMap((found) => candidatesOf(found, query))
    .filter(({ position }) => position < after);
  const ids = candidates.map(({ deliveryId }) => deliveryId);
  const rows = await dependencies.deliveries.getMany(ids, { consistent: query.consistent ?? false });
  const byId = new Map(rows.map((row) => [row.delivery_id, row]));
  const located = candidates.map((candidate) => ({ candidate, delivery: byId.get(candidate.deliveryId) }));
  return { located, end };
}

interface PlacedMessage {
  readonly message: Message;
  /**
   * The next page continues at this position of the index. The time in the row may differ, because an operator can
   * edit it.
   */
  readonly place: string;
}

/** Returns the next messages, including the one at which the previous page ended. */
async function messagesOf(
  { list, messages }: Pick<WebhookLogDependencies, 'list' | 'messages'>,
  query: ByMessagesQuery,
): Promise<{ readonly messages: readonly PlacedMessage[]; readonly end: string | undefined }> {
  const { clientId, after, message, since, until } = query;
  if (message !== undefined) {
    const isInRange = message.created_at >= (since ?? first) && message.created_at <= (until ?? last);
    const createdAt = new Date(message.created_at).toISOString();
    const place = listPosition({ ...message, created_at: createdAt });
    return { messages: isInRange ? [{ message, place }] : [], end: undefined };
  }
  const idsPerMessage = 3 * query.endpointIds.length;
  const count = Math.max(1, Math.min(messagesPerPageMax, Math.floor(idsPerPage / idsPerMessage)));
  const untilEnd = until === undefined ? last : `${until}#${last}`;
  const [shown = last, within] = after?.split('~') ?? [];
  const before = shown < untilEnd ? shown : untilEnd;
  const range = { clientId, direction: 'all', from: since ?? first, before } as const;
  const keys: { readonly messageId: string; readonly position: string }[] = [];
  if (within !== undefined && within !== noneLeft) {
    keys.push({ messageId: shown.slice(shown.indexOf('#') + 1), position: shown });
  }
  if (range.from <= before) {
    for await (const key of list.keys(range, count)) {
      keys.push(key);
      if (keys.length >= count) break;
    }
  }
  const rows = await messages.getMany(
    keys.map(({ messageId }) => messageId),
    { consistent: query.consistent ?? false },
  );
  const byId = new Map(rows.map((row) => [row.message_id, row]));
  const found = keys.flatMap(({ messageId, position: place }) => {
    const row = byId.get(messageId);
    return row?.client_id === clientId ? [{ message: row, place }] : [];
  });
  const lastKey = keys.at(-1);
  return {
    messages: found,
    end: keys.length < count || lastKey === undefined ? undefined : `${lastKey.position}~${noneLeft}`,
  };
}

function candidatesOf(
  { message, place }: PlacedMessage,
  { endpointIds, event: wanted }: ByMessagesQuery,
): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const { event, happenedAt } of eventsOf(message)) {
    for (const endpointId of wanted === undefined || wanted === event ? endpointIds : []) {
      const deliveryId = deliveryIdOf({ messageId: message.message_id, event, endpointId });
      const position = positionOf(place, happenedAt, event, endpointId);
      found.set(deliveryId, { position, message, deliveryId, event, endpointId, happenedAt });
    }
  }
  return [...found.values()];
}

/**
 * A client's deliveries that have failed, the latest failure first, from the entries `webhook_failed` of the Activity Log.
 * A delivery that failed, was resent and failed again has two entries; it is found by the one of its last failure.
 */
interface FailedQuery {
  readonly clientId: string;
  readonly since: Date;
  readonly until: Date;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** True for strongly consistent reads; by default they may be a second old. */
  readonly consistent?: boolean | undefined;
}

type Failure = Awaited<ReturnType<typeof failuresOf>>['failures'][number];

/** Each call of DynamoDB reads 200 entries of any kind, or `limit` if that is more. */
const readsMax = 5;

/**
 * Returns every failure in the range whose delivery is still stored, whatever its state is now. A page may be empty
 * and still have a cursor.
 */
export async function failuresOf(
  { activity, deliveries }: Pick<WebhookLogDependencies, 'activity' | 'deliveries'>,
  { clientId, since, until, limit, cursor, consistent = false }: FailedQuery,
) {
  const range = { clientId, kind: 'webhook_failed', since, until, limit, cursor } as const;
  const { entries, nextCursor } = await activity.list({ ...range, readsMax, consistent });
  const ids = entries.flatMap(({ delivery_id }) => delivery_id ?? []);
  const rows = await deliveries.getMany(ids, { consistent });
  const byId = new Map(rows.map((row) => [row.delivery_id, row]));
  const failures = entries.flatMap(({ entry_id, at, delivery_id = '' }) => {
    const delivery = byId.get(delivery_id);
    if (delivery?.client_id !== clientId) return [];
    return [{ cursor: entry_id, failedAt: at, delivery }];
  });
  return { failures, nextCursor };
}

/**
 * True if the delivery is failed now, and this entry is the entry of its last failure until then. So a webhook that
 * is resent and fails again while pages are read keeps its place.
 */
export function isLastFailure({ delivery, failedAt }: Failure, until: string): boolean {
  const { state, finished_at = '', attempts } = delivery;
  const lastAt =
    finished_at <= until ? finished_at : attempts.findLast(({ ended_at }) => ended_at <= until)?.ended_at;
  return state === 'failed' && failedAt === lastAt;
}

/**
 * The webhooks of a client that follow from no message, the newest first: test events, and notices that an endpoint was
 * disabled. They are found by the entries of the Activity Log that are written with them.
 */
interface NotificationQuery {
  readonly clientId: string;
  /** All of the client. */
  readonly endpoints: readonly Pick<WebhookEndpoint, 'endpoint_id'>[];
  readonly since: Date;
  readonly until: Date;
  readonly after: string | undefined;
}

const entriesPerPage = 50;
/** Each call of DynamoDB reads 200 entries of any kind. */
const noticeReadsMax = 2;

/** @returns the deliveries, and where the next page begins among the messages; undefined after the last entry */
export async function notificationDeliveries(
  { activity, deliveries }: Pick<WebhookLogDependencies, 'activity' | 'deliveries'>,
  { clientId, endpoints, since, until, after }: NotificationQuery,
) {
  const { entries, nextCursor } = await activity.list({
    clientId,
    kind: ['webhook_test_sent', 'webhook_endpoint_disabled'],
    since,
    until,
    limit: entriesPerPage,
    readsMax: noticeReadsMax,
    cursor: after && entriesFrom(after),
  });
  const entryOf = new Map(entries.flatMap((entry) => idsOf(entry, endpoints).map((id) => [id, entry])));
  const rows = await deliveries.getMany([...entryOf.keys()], { consistent: false });
  const located = rows.flatMap((delivery) => {
    const entry = entryOf.get(delivery.delivery_id);
    if (entry === undefined || delivery.client_id !== clientId) return [];
    const position = positionOf(placeOf(entry.entry_id), entry.at, delivery.event, delivery.endpoint_id);
    return after === undefined || position < after ? [{ position, delivery }] : [];
  });
  return { located, end: nextCursor && `${placeOf(nextCursor)}~${noneLeft}` };
}

/**
 * Returns the id of one test event, or of a notice for each other endpoint. Notices that an endpoint did not want
 * have no row.
 */
function idsOf(
  { kind, delivery_id, at, after }: Activity,
  endpoints: NotificationQuery['endpoints'],
): readonly string[] {
  if (kind === 'webhook_test_sent') return delivery_id === undefined ? [] : [delivery_id];
  const endpointId = after?.endpoint_id;
  if (typeof endpointId !== 'string') return [];
  return endpoints.map((to) => disabledNoticeId({ endpointId, at }, to.endpoint_id));
}

/** Returns the place of an entry among the messages: as if it were one with the rest of its id. */
function placeOf(entryId: string): string {
  const ulid = entryId.slice('act_'.length);
  return `${new Date(decodeTime(ulid)).toISOString()}#msg_${ulid}`;
}

/** Returns an upper end of the ids of entries, with the one at the position. The id of a message may have another time. */
function entriesFrom(position: string): string {
  const [at = '', rest = ''] = position.split('#msg_');
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) throw invalidCursor();
  const { low, high } = idRange('act', time, time);
  const [, entryId = high] = [low, `act_${rest.slice(0, 26)}`, high].toSorted();
  return `${entryId}~`;
}

/**
 * Returns the position of a delivery in the list by messages. Positions sort as text, newest first, and consist of
 * values that never change: the time and id of the message, and the event and endpoint. So neither a new event nor an
 * endpoint that is added or deleted between two pages moves the others.
 */
function positionOf(message: string, happenedAt: string, event: string, endpointId = ''): string {
  return `${message}~${happenedAt}#${event}#${endpointId}`;
}

/** Instead of a delivery, in the position after all deliveries of a message. */
const noneLeft = '0';

/** The cursors of the delivery log and of resends: a position in the list by messages, or an entry of the Activity Log. */
export const positionCursor = opaqueCursor(
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z#msg_[0-9A-HJKMNP-TV-Z]{26}~(?:0|[\dT:.-]+Z#[a-z_.]+#(?:whe_[0-9A-HJKMNP-TV-Z]{26})?)$/,
);

export const entryCursor = opaqueCursor(/^act_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);

/** An entry, and the time at which the first page was read. */
export const failureCursor = opaqueCursor(
  /^act_[0-7][0-9A-HJKMNP-TV-Z]{25}~\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
);
