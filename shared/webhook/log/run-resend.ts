/**
 * Resends many webhooks, step by step: counts the matching deliveries, then resends them, about 50 in a step. If a
 * process dies at any line, or two processes take the same step, one request still resends nothing twice and leaves
 * nothing out:
 *
 * 1. reads the deliveries of the step, from the position in the request's row.
 * 2. adds them to the due-item index, so that the sweep delivers those that a queue loses.
 * 3. makes each delivery `pending`, on the condition that it has not changed, else reads it again; its row then names
 *    the request. A repeated step finds the name, counts the delivery and does not resend it.
 * 4. enqueues them; a repeated step enqueues those again that are still pending. If there are two messages, only one
 *    finds the attempt due.
 * 5. writes the new position and the counts, on the condition that no other process has.
 *
 * Failed deliveries are found by their entries in the Activity Log, which are written before a delivery is `failed`
 * and read consistently. So every delivery that had failed at the time of the request is included, even if its alert
 * is still pending: the step sends it.
 *
 * The request is in the due-item index until it is completed, so the run of each minute continues it.
 */
import { readAhead } from '../../activity/activity-log.ts';
import { allEnded } from '../../platform/aws/permanent-fault.ts';
import { addSeconds, earlierOf } from '../../platform/clock.ts';
import {
  type DueItemRun,
  errorOf,
  type NextReview,
  type ProcessedDueItems,
  processDueItems,
} from '../../recovery/process-due-items.ts';
import { sendAlert } from '../deliver/alert-failure.ts';
import { type Delivery, dueItemOf, resendDue } from '../delivery.ts';
import {
  deliveriesOfMessages,
  entryCursor,
  failuresOf,
  positionCursor,
  type WebhookLogDependencies,
} from './find-deliveries.ts';
import {
  afterStep,
  destinationOf,
  finishedUntil,
  inOrder,
  isAskedFor,
  isDue,
  type OrderedDelivery,
  type Resend,
  type StepResult,
  withEventsOfTheSame,
} from './resend.ts';

const deliveriesPerStep = 50;
const countedPerStep = 100;
/** Entries of failures that one call reads: as many as the run of a minute resends. */
const entriesAhead = 1000;
/** A step takes this long, so that endpoints that have just recovered are not flooded. */
const stepMs = 2500;
export const resentPerSecond = deliveriesPerStep / (stepMs / 1000);
/** Resent together; the groups of a step are spread over its time, so that no burst of writes and POSTs delays others. */
const groupSize = 10;
/**
 * After each group it pauses four times as long as the writes of the group took: slow writes mean that others use the
 * table, so fewer webhooks are resent. All pauses of a step are at most 5 s, so that it ends within its function's time.
 */
const pauseFactor = 4;
const pausesMaxMs = 5000;
/**
 * The pause between the events of one message, which arrive in their order: longer than a POST may take, so that no event
 * finds the one before it unfinished (deliver/deliver-webhook.ts).
 */
export const betweenEventsSeconds = 8;

/** Takes steps until the request is completed or the time is over. Returns undefined if there is no such request. */
export async function runResend(
  dependencies: WebhookLogDependencies,
  resendId: string,
  endsAt: Date,
  onStep: (resend: Resend) => void = () => {},
): Promise<Resend | undefined> {
  const { resends, clock, sleep, newRevision } = dependencies;
  const reading = { ...dependencies, activity: readAhead(dependencies.activity, entriesAhead) };
  let resend = await resends.get(resendId);
  while (resend !== undefined && resend.status !== 'completed' && clock() < endsAt) {
    const startedAt = clock();
    const step = await (resend.state === 'failed' ? stepOfFailures : stepOfMessages)(reading, resend);
    const next = afterStep(resend, step, clock(), newRevision());
    const isNext = await resends.replace(resend, next);
    // Another process took this step, or goes on with it.
    resend = isNext ? next : await resends.get(resendId);
    if (resend !== undefined) onStep(resend);
    const pauseMs = startedAt.getTime() + stepMs - clock().getTime();
    if (resend?.status === 'sending' && step.resent > 0 && pauseMs > 0) await sleep(pauseMs);
  }
  return resend;
}

async function stepOfFailures(dependencies: WebhookLogDependencies, resend: Resend): Promise<StepResult> {
  const isCounting = resend.status === 'matching';
  const page = await failuresOf(dependencies, {
    clientId: resend.client_id,
    // A webhook does not fail before its event.
    since: new Date(resend.since),
    until: addSeconds(new Date(finishedUntil(resend)), 1),
    limit: isCounting ? countedPerStep : deliveriesPerStep,
    cursor: resend.cursor && entryCursor.decode(resend.cursor),
    consistent: true,
  });
  const cursor = page.nextCursor && entryCursor.encode(page.nextCursor);
  const included = page.failures.flatMap(({ delivery, failedAt }) =>
    isAskedFor(resend, delivery) && failedAt === finishedBefore(resend, delivery) ? [delivery] : [],
  );
  return takeStep(dependencies, resend, included, cursor);
}

async function stepOfMessages(dependencies: WebhookLogDependencies, resend: Resend): Promise<StepResult> {
  const endpoints = await dependencies.endpoints.list(resend.client_id);
  const page = await deliveriesOfMessages(dependencies, {
    clientId: resend.client_id,
    until: resend.until,
    endpointIds:
      resend.endpoint_id === undefined
        ? [undefined, ...endpoints.map(({ endpoint_id }) => endpoint_id)]
        : [resend.endpoint_id],
    after: resend.cursor === undefined ? undefined : positionCursor.decode(resend.cursor),
    consistent: true,
  });
  const included = page.located.flatMap(({ delivery }) =>
    delivery !== undefined &&
    isAskedFor(resend, delivery) &&
    finishedBefore(resend, delivery) !== undefined &&
    (delivery.state === resend.state || isResentBy(resend, delivery))
      ? [delivery]
      : [],
  );
  const cursor = page.end && positionCursor.encode(page.end);
  return takeStep(dependencies, resend, included, cursor);
}

/** Returns when the delivery had finished, if that was before the request, or before this request resent it. */
function finishedBefore(resend: Resend, delivery: Delivery): string | undefined {
  if (isResentBy(resend, delivery)) return delivery.resent_by?.finished_at;
  const { finished_at } = delivery;
  return finished_at !== undefined && finished_at <= finishedUntil(resend) ? finished_at : undefined;
}

function isResentBy(resend: Resend, delivery: Delivery): boolean {
  return delivery.resent_by?.resend_id === resend.resend_id;
}

async function takeStep(
  dependencies: WebhookLogDependencies,
  resend: Resend,
  included: readonly Delivery[],
  cursor: string | undefined,
): Promise<StepResult> {
  if (resend.status === 'matching') {
    const matched = included.filter((delivery) => isDue(resend, delivery)).length;
    return { matched, resent: 0, cursor };
  }
  const resentIds = await resendAll(dependencies, resend, included);
  const resent = included.filter(({ delivery_id }) => resentIds.has(delivery_id)).length;
  return { matched: 0, resent, cursor };
}

/** @returns the ids of the deliveries that this request has resent, now or before. */
async function resendAll(
  dependencies: WebhookLogDependencies,
  resend: Resend,
  page: readonly Delivery[],
): Promise<ReadonlySet<string>> {
  const { deliveries, dueItemIndex, queue, clock, sleep, newRevision } = dependencies;
  const rows = await withEventsOfTheSame(deliveries, page);
  const now = clock();
  const included = rows.filter((row) => isDue(resend, row) || isResentBy(resend, row));
  const ordered = inOrder(included);
  const due = ordered.filter(({ row }) => isDue(resend, row));
  const waiting = included.filter((row) => row.state === 'pending' && row.attempt_trigger === 'manual');
  // There are more than 50 if events of the same messages are on other pages.
  const groups = Math.ceil(Math.max(deliveriesPerStep, due.length) / groupSize);
  const groupMs = stepMs / groups;
  const resentAs = ({ row, rank, after }: OrderedDelivery, from: Date, position = 0): Delivery => {
    const finished_at = row.finished_at ?? row.created_at;
    const resent_by = { resend_id: resend.resend_id, finished_at, after };
    // A worker that has the group waits for each: they are posted one after the other, in half of the group's time, so
    // that its work ends before the next group comes.
    const withinGroupMs = (position * groupMs) / (2 * groupSize);
    const dueAt = addSeconds(from, rank * betweenEventsSeconds + withinGroupMs / 1000);
    return resendDue(row, dueAt, newRevision(), resent_by);
  };
  await dueItemIndex.add(
    'deliveries',
    due.flatMap((one) => dueItemOf(resentAs(one, now))),
  );
  const resent: Delivery[] = [];
  /** Changed since they were first read. */
  const changed: Delivery[] = [];
  let pauseUntilMs = 0;
  for (let first = 0; first === 0 || first < due.length; first += groupSize) {
    const groupAtMs = now.getTime() + (first / groupSize) * groupMs;
    const waitMs = Math.max(groupAtMs, pauseUntilMs) - clock().getTime();
    if (waitMs > 0) await sleep(waitMs);
    const beganAt = clock();
    const group: Delivery[] = first === 0 ? [...waiting] : [];
    const each = due.slice(first, first + groupSize).map((one, position) => ({ one, position }));
    await allEnded(
      [...Map.groupBy(each, ({ one }) => destinationOf(one.row)).values()].map(async (events) => {
        for (const { one, position } of events) {
          let row: Delivery | undefined = one.row;
          while (row !== undefined && isDue(resend, row)) {
            const next = resentAs({ ...one, row }, beganAt, position);
            // The alert comes first: if it fails, the later events of the message are not resent before it.
            if (row.alert_pending) await sendAlert(dependencies, row);
            if (await deliveries.replace(row, next)) {
              group.push(next);
              resent.push(next);
              break;
            }
            // A worker has noted the alert in the meantime, and the delivery is still due; or another process has
            // taken the same step.
            [row] = await deliveries.getMany([row.delivery_id]);
            if (row !== undefined) changed.push(row);
          }
        }
      }),
    );
    const entries = group.map((delivery) => ({
      clientId: delivery.client_id,
      message: { delivery_id: delivery.delivery_id },
      delaySeconds: secondsUntil(delivery, clock()),
    }));
    if (entries.length > 0) await queue.send('retries', entries);
    const endedAtMs = clock().getTime();
    pauseUntilMs = endedAtMs + Math.min(pausesMaxMs / groups, pauseFactor * (endedAtMs - beganAt.getTime()));
  }
  const before = [...included, ...changed].filter((row) => isResentBy(resend, row));
  return new Set([...resent, ...before].map(({ delivery_id }) => delivery_id));
}

/** Returns rounded seconds: an early message keeps a worker waiting, and a late one delays only itself. */
function secondsUntil(delivery: Delivery, now: Date): number {
  return Math.max(0, Math.round((Date.parse(delivery.attempt_due_at) - now.getTime()) / 1000));
}

/**
 * The number of requests that are read together above which each gets only a part of the minute, so that the next ones
 * get some of it.
 */
const wholeMinuteRequestsMax = 20;
const sharedMinuteSeconds = 10;

/**
 * Continues the uncompleted requests to resend many webhooks: each minute, until the time is over. The requests of
 * one client run one after the other; those of several clients run side by side.
 */
export async function continueResends(
  dependencies: DueItemRun & WebhookLogDependencies,
): Promise<ProcessedDueItems> {
  const { clock, budgetMs, resends } = dependencies;
  const endsAt = addSeconds(clock(), budgetMs / 1000);
  return processDueItems(dependencies, 'resends', async (ids) => {
    const reviews = new Map<string, NextReview | Error>();
    const theseEndAt =
      ids.length > wholeMinuteRequestsMax
        ? earlierOf(endsAt, addSeconds(clock(), sharedMinuteSeconds))
        : endsAt;
    const rows = await Promise.all(
      ids.map(async (id) => [id, await resends.get(id).catch(errorOf)] as const),
    );
    const byClient = Map.groupBy(rows, ([id, row]) =>
      row === undefined || row instanceof Error ? id : row.client_id,
    );
    await Promise.all(
      Array.from(byClient.values(), async (some) => {
        for (const [id, row] of some) reviews.set(id, await continued(dependencies, id, row, theseEndAt));
      }),
    );
    return reviews;
  });
}

async function continued(
  dependencies: DueItemRun & WebhookLogDependencies,
  id: string,
  row: object | Error | undefined,
  endsAt: Date,
): Promise<NextReview | Error> {
  if (row instanceof Error) return row;
  try {
    const resend = await runResend(dependencies, id, endsAt);
    return resend === undefined || resend.status === 'completed' ? undefined : dependencies.clock();
  } catch (error) {
    return errorOf(error);
  }
}
