/**
 * The changes of a stored message. Each change is one conditional write, so a repeated or outdated change has no effect,
 * and two workers never overwrite each other.
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

/** The fields that a change sets. Undefined fields are removed. */
type Fields = { readonly [Name in keyof Message]?: Message[Name] | undefined } & Partial<DueFields>;

function rowOf({ env }: ChangeContext, messageId: string) {
  return { TableName: env.MESSAGES_TABLE, Key: { message_id: messageId } };
}

function updateRow(ctx: ChangeContext, messageId: string, input: RowUpdate) {
  return conditionalUpdate(ctx.db, { ...input, ...rowOf(ctx, messageId) });
}

/** Returns the row after the update; undefined if the condition is false. */
async function updatedRow(
  ctx: ChangeContext,
  messageId: string,
  input: RowUpdate,
): Promise<Message | undefined> {
  const updating = await updateRow(ctx, messageId, { ...input, ReturnValues: 'ALL_NEW' });
  return updating.applied ? parseMessageRow(updating.response.Attributes) : undefined;
}

/** Returns the fields that show who works on a message. Each claim and each release changes at least one of them. */
function holderOf({ status, handover_claim, handover_until }: Message) {
  return { status, handover_claim, handover_until };
}

/**
 * Claims the message for one hand-over, if nobody has changed its holder since it was read. Only one of several concurrent
 * claims succeeds. If the SDK repeats the write, it recognizes its own claim by the unique id.
 *
 * @param fields - fields to set with the claim, such as the attempts
 * @returns the claimed message; undefined if the claim failed, so that the carrier must not be called
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
 * Ends the hand-over of a message for now. It can be claimed again from `claimableAt` on. Returns false if another worker
 * has claimed or released the message since then.
 *
 * @param fields - fields to set, or to remove if undefined: the attempts, and the next look. A message that waits for its
 * sender's pace has no `handover_claim`
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
 * Stores the outcome of the last attempt under a claim, or removes the attempt, if a receipt changed the state meanwhile.
 * Returns the row; undefined if another claim has taken the message.
 */
export async function noteOutcome(
  ctx: ChangeContext,
  { message_id, handover_claim }: Message,
  fields: Fields,
): Promise<Message | undefined> {
  const noting = await updateIf(ctx.db, rowOf(ctx, message_id), { handover_claim }, fields);
  return noting.applied ? parseMessageRow(noting.row) : undefined;
}

/** Sets when a worker must look at the message, unless its state or this time has changed since it was read. */
export async function setNextLook(
  ctx: ChangeContext,
  { message_id, status, due_at }: Message,
  dueAt: Date | undefined,
): Promise<void> {
  await updateIf(ctx.db, rowOf(ctx, message_id), { status, due_at }, { ...dueFields(message_id, dueAt) });
}

/**
 * Enters a state if the current state allows this. Returns undefined if it does not, or if the row is missing.
 *
 * After a final state, no worker looks at the row. The exception: until the next leg of a fallback exists, the looks
 * continue.
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

/** Returns one update that writes the new state, and the times of all states that it implies. */
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
  // A row without attempts was never handed over.
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
 * Stores the carrier's response to a message whose state a receipt has already changed. Does not overwrite values that the
 * receipt stored.
 *
 * @param noted.at - the time of the hand-over, stored as `sent_at` unless a receipt has stored it
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
 * Stores the failure of an attempt that another attempt followed, so that an older report about the failed attempt no
 * longer counts. Returns the row; undefined if this or a later failure was already stored.
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
 * Fills in `sent` for a `failed` or `expired` message that a later receipt proves. Returns undefined if `sent` is already
 * set.
 */
export function fillInSent(ctx: ChangeContext, messageId: string, at: Date): Promise<Message | undefined> {
  return updatedRow(ctx, messageId, {
    UpdateExpression: 'SET sent_at = :at',
    ConditionExpression: 'attribute_not_exists(sent_at) AND #status IN (:failed, :expired)',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':at': at.toISOString(), ':failed': 'failed', ':expired': 'expired' },
  });
}

/** At most two carriers report at once, so few tries suffice. */
const costTriesMax = 5;

/** Adds the cost of one of several attempts, under the attempt's number, so that a repeat adds nothing. */
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
  throw new Error(`the costs of ${messageId} are written by too many workers at once`);
}
