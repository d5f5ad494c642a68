/**
 * The changes of a stored message. Each change is one conditional write, so a repeated or outdated change has no effect, and
 * the writes of two workers never mix.
 */
import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { claimSeconds } from '../../contract/hand-over-times.ts';
import { type DueFields, dueFields, lookAfter } from '../../due/due-index.ts';
import { conditionalUpdate, updateIf } from '../../platform/aws/conditional-write.dynamo.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { type AttemptCost, costsWith } from '../attempt.ts';
import { type Message, transitions } from '../message.ts';
import { parseMessageRow, reportedFields, statesEntered, type Transition } from './message-row.ts';
import { readMessage } from './messages.dynamo.ts';

type ChangeContext = Context<'MESSAGES_TABLE'>;

type RowUpdate = Partial<UpdateCommandInput>;

/** The fields that a change sets; it removes those that are undefined. */
type Fields = { readonly [Name in keyof Message]?: Message[Name] | undefined } & Partial<DueFields>;

function rowOf({ env }: ChangeContext, messageId: string) {
  return { TableName: env.MESSAGES_TABLE, Key: { message_id: messageId } };
}

function updateRow(ctx: ChangeContext, messageId: string, input: RowUpdate) {
  return conditionalUpdate(ctx.db, { ...input, ...rowOf(ctx, messageId) });
}

/** Returns the row after the update; undefined if its condition does not hold. */
async function updatedRow(
  ctx: ChangeContext,
  messageId: string,
  input: RowUpdate,
): Promise<Message | undefined> {
  const updating = await updateRow(ctx, messageId, { ...input, ReturnValues: 'ALL_NEW' });
  return updating.applied ? parseMessageRow(updating.response.Attributes) : undefined;
}

/** Returns the fields that say who works on a message. Each claim and each release changes one of them. */
function holderOf({ status, handover_claim, handover_until }: Message) {
  return { status, handover_claim, handover_until };
}

/**
 * Claims the message for one hand-over, if nobody has changed its holder since it was read. Only one of several concurrent
 * claims succeeds. A write that the SDK repeats recognizes its own claim by the id, which is unique.
 *
 * @param fields - also set: the attempts, of which the last is about to be made
 * @returns the claimed message; undefined if the claim was lost: then the call must not be made
 */
export async function claimMessage(
  ctx: ChangeContext,
  seen: Message,
  { claimId, at }: { readonly claimId: string; readonly at: Date },
  fields: Partial<Message> = {},
): Promise<Message | undefined> {
  const claimed = {
    status: 'sending',
    sending_at: seen.sending_at ?? at.toISOString(),
    handover_until: addSeconds(at, claimSeconds).toISOString(),
    handover_claim: claimId,
    handover_attempts: (seen.handover_attempts ?? 0) + 1,
    ...fields,
  } as const;
  const { applied } = await updateIf(ctx.db, rowOf(ctx, seen.message_id), holderOf(seen), claimed);
  return applied ? { ...seen, ...claimed } : undefined;
}

/**
 * Ends the hand-over of a message for now, claimed or not: it may be claimed from `claimableAt` on. Returns false if another
 * worker has changed its holder since it was read or claimed.
 *
 * @param fields - also set, or removed if undefined: the attempts, and the next look. A message that waits for the pace of
 * its sender has no `handover_claim`
 */
export async function releaseMessage(
  ctx: ChangeContext,
  seen: Message,
  claimableAt: Date,
  fields: Fields = {},
): Promise<boolean> {
  const released = {
    status: 'sending',
    sending_at: seen.sending_at ?? ctx.clock().toISOString(),
    handover_until: claimableAt.toISOString(),
    ...fields,
  };
  const { applied } = await updateIf(ctx.db, rowOf(ctx, seen.message_id), holderOf(seen), released);
  return applied;
}

/**
 * Writes the outcome of the last attempt of a claim, or removes the attempt, if a receipt changed the state in the
 * meantime. Returns the row; undefined if another claim has taken the message.
 */
export async function noteOutcome(
  ctx: ChangeContext,
  { message_id, handover_claim }: Message,
  fields: Fields,
): Promise<Message | undefined> {
  const noting = await updateIf(ctx.db, rowOf(ctx, message_id), { handover_claim }, fields);
  return noting.applied ? parseMessageRow(noting.row) : undefined;
}

/** Sets when a worker must look at the message, unless its state or that time has changed since it was read. */
export async function setNextLook(
  ctx: ChangeContext,
  { message_id, status, due_at }: Message,
  dueAt: Date | undefined,
): Promise<void> {
  await updateIf(ctx.db, rowOf(ctx, message_id), { status, due_at }, { ...dueFields(message_id, dueAt) });
}

/**
 * Enters a state if the current state allows this. Returns undefined if it does not, or if there is no row.
 *
 * A final state ends the looks at the row. If the next leg of a fallback may follow, the looks continue until that leg
 * exists.
 */
export async function transitionMessage(
  ctx: ChangeContext,
  messageId: string,
  change: Transition,
): Promise<Message | undefined> {
  const { to, at } = change;
  if (!transitions[to].final) return updatedRow(ctx, messageId, transitionUpdate(change, {}));
  const ended = transitionUpdate(change, dueFields(messageId, undefined));
  if (to !== 'failed' && to !== 'expired') return updatedRow(ctx, messageId, ended);
  const ending = await updateRow(ctx, messageId, {
    ...ended,
    ConditionExpression: `${ended.ConditionExpression} AND attribute_not_exists(fallback)`,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (ending.applied) return parseMessageRow(ending.response.Attributes);
  if (ending.row?.fallback === undefined) return undefined;
  const looksOn = transitionUpdate(change, dueFields(messageId, lookAfter(at)));
  return updatedRow(ctx, messageId, looksOn);
}

/** Makes a single write of the new state and the times of all states that it implies. */
function transitionUpdate(change: Transition, due: Partial<DueFields>) {
  const { to, at, attempts, reportedAttempt: reported_attempt, ofAttempt, notFailed } = change;
  const values: Record<string, unknown> = { ':to': to, ':at': at.toISOString() };
  const sets = ['#status = :to'];
  for (const state of statesEntered(change)) sets.push(`${state}_at = if_not_exists(${state}_at, :at)`);
  const removed = to === 'delivered' || to === 'read' ? ['error_code', 'error_message'] : [];
  const fields = {
    ...reportedFields(change),
    ...withoutUndefined({ attempts, reported_attempt }),
    ...due,
  };
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) removed.push(name);
    else {
      values[`:${name}`] = value;
      sets.push(`${name} = :${name}`);
    }
  }
  const from = transitions[to].from.filter((state) => change.notSent !== true || state !== 'sent');
  for (const state of from) values[`:from_${state}`] = state;
  const conditions = [`#status IN (${from.map((state) => `:from_${state}`).join(', ')})`];
  // A row without attempts was not handed over.
  if (ofAttempt !== undefined) {
    const { number, seen } = ofAttempt;
    Object.assign(values, withoutUndefined({ ':attempt': number, ':seen': seen }));
    const isAsSeen = seen === undefined ? '' : ' AND attempts = :seen';
    conditions.push(`(attribute_not_exists(attempt) OR (attempt <= :attempt${isAsSeen}))`);
  }
  if (notFailed !== undefined) {
    values[':notFailed'] = notFailed;
    conditions.push('(attribute_not_exists(failed_attempt) OR failed_attempt <> :notFailed)');
  }
  return {
    UpdateExpression: `SET ${sets.join(', ')}${removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : ''}`,
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: values,
  };
}

/**
 * Writes the carrier's response to a message whose state a receipt has already changed; values that the receipt wrote are
 * kept.
 *
 * @param noted.at - the time of the hand-over, which becomes `sent_at` unless a receipt wrote it before
 */
export async function noteHandOver(
  ctx: ChangeContext,
  messageId: string,
  { attempts, ...noted }: Partial<Transition> & { readonly at: Date },
): Promise<void> {
  const kept = Object.entries({ ...reportedFields(noted), sent_at: noted.at.toISOString() });
  const sets = kept.map(([name]) => `${name} = if_not_exists(${name}, :${name})`);
  if (attempts !== undefined) sets.push('attempts = :attempts');
  await updateRow(ctx, messageId, {
    UpdateExpression: `SET ${sets.join(', ')}`,
    ConditionExpression: 'attribute_exists(message_id)',
    ExpressionAttributeValues: {
      ...Object.fromEntries(kept.map(([name, value]) => [`:${name}`, value])),
      ...(attempts === undefined ? {} : { ':attempts': attempts }),
    },
  });
}

/**
 * Notes the failure of an attempt that was followed by another attempt, so that an older report of the failed attempt no
 * longer counts. Returns the row; undefined if this failure, or the failure of a later attempt, was noted before.
 */
export function noteFailedAttempt(
  ctx: ChangeContext,
  messageId: string,
  attempt: number,
): Promise<Message | undefined> {
  return updatedRow(ctx, messageId, {
    UpdateExpression: 'SET failed_attempt = :attempt',
    ConditionExpression:
      'attribute_exists(message_id) AND (attribute_not_exists(failed_attempt) OR failed_attempt < :attempt)',
    ExpressionAttributeValues: { ':attempt': attempt },
  });
}

/**
 * Fills in `sent` of a `failed` or `expired` message, which a later receipt proves. Returns undefined if it already has
 * `sent`.
 */
export function fillInSent(ctx: ChangeContext, messageId: string, at: Date): Promise<Message | undefined> {
  return updatedRow(ctx, messageId, {
    UpdateExpression: 'SET sent_at = :at',
    ConditionExpression: 'attribute_not_exists(sent_at) AND #status IN (:failed, :expired)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':at': at.toISOString(), ':failed': 'failed', ':expired': 'expired' },
  });
}

/** At most two carriers report at the same moment. */
const costTriesMax = 5;

/**
 * Adds the cost of one of several attempts that carriers may have, under the number of the attempt: repeating it adds
 * nothing.
 */
export async function addAttemptCost(
  ctx: ChangeContext,
  messageId: string,
  added: AttemptCost,
): Promise<void> {
  for (let tries = 0; tries < costTriesMax; tries += 1) {
    const message = await readMessage(ctx, messageId);
    const costs = message === undefined ? undefined : costsWith(message, added);
    if (message === undefined || costs === undefined) return;
    const { message_id, cost, currency, cost_reported } = message;
    const seen = { message_id, costs: message.costs, cost, currency, cost_reported };
    const { applied } = await updateIf(ctx.db, rowOf(ctx, messageId), seen, { ...costs });
    if (applied) return;
  }
  throw new Error(`the costs of ${messageId} are written by too many at once`);
}
