/**
 * The changes of a stored message. Each is one conditional write, so a repeated or outdated change has no effect, and the
 * writes of two workers never mix.
 */
import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { type DueFields, dueFields, lookAfter } from '../../due/due-index.ts';
import { conditionalUpdate, setOrRemove, updateIf } from '../../platform/aws/conditional-write.dynamo.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { type AttemptCost, costsWith, type StoredAttempt } from '../attempt.ts';
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

export type Claim =
  | { readonly outcome: 'claimed'; readonly message: Message }
  /** Another hand-over has claimed it until `handover_until`. */
  | { readonly outcome: 'held'; readonly message: Message }
  | { readonly outcome: 'not_sendable'; readonly message: Message }
  | { readonly outcome: 'unknown' };

/**
 * Claims the message for one hand-over: from `queued`, or from `sending` after the earlier claim has expired. One of any
 * number of concurrent claims succeeds.
 *
 * @param claim.claimId - unique, so that a repeated write recognizes its own claim
 */
export async function claimMessage(
  ctx: ChangeContext,
  messageId: string,
  claim: { readonly claimId: string; readonly at: Date; readonly leaseSeconds: number },
): Promise<Claim> {
  const now = claim.at.toISOString();
  const claiming = await updateRow(ctx, messageId, {
    UpdateExpression:
      'SET #status = :sending, sending_at = if_not_exists(sending_at, :now), handover_until = :until, handover_claim = :claim ADD handover_attempts :one',
    ConditionExpression:
      'attribute_not_exists(held) AND expires_at > :now AND (#status = :queued OR (#status = :sending AND handover_until <= :now))',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':sending': 'sending',
      ':queued': 'queued',
      ':now': now,
      ':until': addSeconds(claim.at, claim.leaseSeconds).toISOString(),
      ':claim': claim.claimId,
      ':one': 1,
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  if (claiming.applied) return { outcome: 'claimed', message: parseMessageRow(claiming.response.Attributes) };
  if (claiming.row === undefined) return { outcome: 'unknown' };
  const message = parseMessageRow(claiming.row);
  if (message.handover_claim === claim.claimId) return { outcome: 'claimed', message };
  const isHeld = message.status === 'sending' && (message.handover_until ?? '') > now;
  return { outcome: isHeld ? 'held' : 'not_sendable', message };
}

/** Records an attempt before its call. Returns false if the claim was lost; then the call must not be made. */
export function recordAttempt(
  ctx: ChangeContext,
  messageId: string,
  claimId: string,
  /** All attempts. The last one is about to be made. */
  { attempts, possiblyDoubled }: { readonly attempts: StoredAttempt[]; readonly possiblyDoubled: boolean },
): Promise<boolean> {
  return updateClaimed(ctx, messageId, claimId, {
    attempts,
    attempt: attempts.at(-1)?.number,
    // A released message of a restore has it already.
    ...(possiblyDoubled ? { possible_duplicate: true } : {}),
  });
}

/**
 * Ends the claim of a message that is not handed over now: it may be claimed from `claimableAt` on. Returns false if
 * another claim has the message, or it is no longer `sending`.
 *
 * @param fields - also set, or removed if undefined: the attempts, and the next look. A message that waits for the pace of
 * its sender has no `handover_claim`
 */
export function releaseMessage(
  ctx: ChangeContext,
  messageId: string,
  claimId: string,
  claimableAt: Date,
  fields: Fields = {},
): Promise<boolean> {
  return updateClaimed(ctx, messageId, claimId, { handover_until: claimableAt.toISOString(), ...fields });
}

async function updateClaimed(
  ctx: ChangeContext,
  messageId: string,
  claimId: string,
  fields: Fields,
): Promise<boolean> {
  const { applied } = await updateRow(
    ctx,
    messageId,
    setIf('#status = :status AND handover_claim = :claim', fields, { status: 'sending', claim: claimId }),
  );
  return applied;
}

/**
 * Writes the outcome of the last attempt of a claim, or removes the attempt, if a receipt changed the state in the
 * meantime. Returns the row; undefined if another claim has taken the message.
 */
export function noteOutcome(
  ctx: ChangeContext,
  messageId: string,
  claimId: string,
  fields: Fields,
): Promise<Message | undefined> {
  return updatedRow(ctx, messageId, setIf('handover_claim = :claim', fields, { claim: claimId }));
}

/** Sets when somebody must look at the message, unless its state or that time has changed since it was read. */
export async function setNextLook(
  ctx: ChangeContext,
  { message_id, status, due_at }: Message,
  dueAt: Date | undefined,
): Promise<void> {
  await updateIf(ctx.db, rowOf(ctx, message_id), { status, due_at }, { ...dueFields(message_id, dueAt) });
}

/** Returns the update that sets the fields, and removes those that are undefined, if the condition holds. */
function setIf(condition: string, fields: Fields, values: Readonly<Record<string, string>>): RowUpdate {
  const update = setOrRemove({ ...fields });
  return {
    UpdateExpression: update.UpdateExpression,
    ConditionExpression: condition,
    ExpressionAttributeNames: {
      ...update.ExpressionAttributeNames,
      ...('status' in values ? { '#status': 'status' } : {}),
    },
    ExpressionAttributeValues: {
      ...update.ExpressionAttributeValues,
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
    },
  };
}

/**
 * Enters a state if the present one allows it. Returns undefined if it does not, or if there is no row.
 *
 * A final state ends the looks at the row, unless the next leg of a fallback may follow it. Then they go on until that leg
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
 * Notes the failure of an attempt after which another was made, so that an older report of it no longer counts. Returns
 * the row; undefined if this failure, or the failure of a later attempt, was noted before.
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
