/** The messages table. A write that the SDK repeats after a lost response recognizes its own row. */

import { type DynamoDBDocumentClient, QueryCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { type DueFields, dueFields, lookAfter } from '../../due/due-index.ts';
import { dynamo } from '../../platform/aws/clients.ts';
import {
  conditionalPut,
  conditionalUpdate,
  setOrRemove,
} from '../../platform/aws/conditional-write.dynamo.ts';
import { type ReadOptions, readRow } from '../../platform/aws/read-rows.dynamo.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Environment } from '../../platform/env.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { type AttemptCost, costsWith } from '../attempt.ts';
import { type Message, messageSchema, transitions } from '../message.ts';
import { createLeg, manyMessages } from './message-rows.dynamo.ts';
import {
  type AttemptNote,
  type Claim,
  type Created,
  fieldsOf,
  type HandOverClaim,
  type HandOverNote,
  isOwn,
  type MessageStore,
  messageRowOf,
  parseMessageRow,
  type RecordedAttempt,
  statesEntered,
  type Transition,
} from './message-store.ts';

type RowUpdate = Omit<UpdateCommandInput, 'TableName' | 'Key'>;

interface MessageTable {
  readonly tableName: string;
  readonly retentionDays: number;
}

export function dynamoMessageStore(client: DynamoDBDocumentClient, table: MessageTable): MessageStore {
  const TableName = table.tableName;

  const update = (messageId: string, input: RowUpdate) =>
    conditionalUpdate(client, { TableName, Key: { message_id: messageId }, ...input });

  /**
   * Enters a state. A final state ends the looks at the row, unless the next leg of a fallback may follow it. Then they go
   * on until that leg exists.
   */
  async function transition(messageId: string, change: Transition): Promise<Message | undefined> {
    const { to, at } = change;
    if (!transitions[to].final) return updated(messageId, transitionInput(change, {}));
    const finished = dueFields(messageId, undefined);
    if (to !== 'failed' && to !== 'expired') return updated(messageId, transitionInput(change, finished));
    const input = transitionInput(change, finished);
    const ending = await update(messageId, {
      ...input,
      ConditionExpression: `${input.ConditionExpression} AND attribute_not_exists(fallback)`,
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    if (ending.applied) return parseMessageRow(ending.response.Attributes);
    if (ending.row?.fallback === undefined) return undefined;
    return updated(messageId, transitionInput(change, dueFields(messageId, lookAfter(at))));
  }

  async function setNextLook({ message_id, status, due_at: seen }: Message, dueAt: Date | undefined) {
    const { ExpressionAttributeValues, ExpressionAttributeNames, UpdateExpression } = setOrRemove({
      ...dueFields(message_id, dueAt),
    });
    await update(message_id, {
      UpdateExpression,
      ConditionExpression: `#status = :status AND ${seen === undefined ? 'attribute_not_exists(due_at)' : 'due_at = :seen'}`,
      ExpressionAttributeNames: { ...ExpressionAttributeNames, '#status': 'status' },
      ExpressionAttributeValues: {
        ...ExpressionAttributeValues,
        ':status': status,
        ...(seen === undefined ? {} : { ':seen': seen }),
      },
    });
  }

  /** Returns the row after the update; undefined if its condition does not hold. */
  async function updated(messageId: string, input: RowUpdate): Promise<Message | undefined> {
    const updating = await update(messageId, { ...input, ReturnValues: 'ALL_NEW' });
    return updating.applied ? parseMessageRow(updating.response.Attributes) : undefined;
  }

  async function create(message: Message): Promise<Created> {
    const creating = await conditionalPut(client, {
      TableName,
      Item: messageRowOf(message, table.retentionDays),
      ConditionExpression: 'attribute_not_exists(message_id)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    if (creating.applied) return { created: true };
    const existing = parseMessageRow(creating.row);
    return isOwn(message, existing) ? { created: true } : { created: false, existing };
  }

  function get(messageId: string, reading?: ReadOptions): Promise<Message | undefined> {
    const ConsistentRead = reading?.consistent ?? true;
    const input = { TableName, Key: { message_id: messageId }, ConsistentRead };
    return readRow(client, messageSchema(), input);
  }

  async function claim(messageId: string, wanted: HandOverClaim): Promise<Claim> {
    const now = wanted.at.toISOString();
    const claiming = await update(messageId, {
      UpdateExpression:
        'SET #status = :sending, sending_at = if_not_exists(sending_at, :now), handover_until = :until, handover_claim = :claim ADD handover_attempts :one',
      ConditionExpression:
        'attribute_not_exists(held) AND expires_at > :now AND (#status = :queued OR (#status = :sending AND handover_until <= :now))',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':sending': 'sending',
        ':queued': 'queued',
        ':now': now,
        ':until': addSeconds(wanted.at, wanted.leaseSeconds).toISOString(),
        ':claim': wanted.claimId,
        ':one': 1,
      },
      ReturnValues: 'ALL_NEW',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
    if (claiming.applied)
      return { outcome: 'claimed', message: parseMessageRow(claiming.response.Attributes) };
    if (claiming.row === undefined) return { outcome: 'unknown' };
    const message = parseMessageRow(claiming.row);
    if (message.handover_claim === wanted.claimId) return { outcome: 'claimed', message };
    const held = message.status === 'sending' && (message.handover_until ?? '') > now;
    return { outcome: held ? 'held' : 'not_sendable', message };
  }

  async function setOfClaim(messageId: string, claimId: string, fields: object): Promise<boolean> {
    const { UpdateExpression, ExpressionAttributeNames, ExpressionAttributeValues } = setOrRemove({
      ...fields,
    });
    const setting = await update(messageId, {
      UpdateExpression,
      ConditionExpression: '#status = :sending AND handover_claim = :claim',
      ExpressionAttributeNames: { ...ExpressionAttributeNames, '#status': 'status' },
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ':sending': 'sending', ':claim': claimId },
    });
    return setting.applied;
  }

  const recordAttempt = (
    messageId: string,
    claimId: string,
    { attempts, possiblyDoubled }: RecordedAttempt,
  ) =>
    setOfClaim(messageId, claimId, {
      attempts,
      attempt: attempts.at(-1)?.number,
      // A released message of a restore has it already.
      ...(possiblyDoubled ? { possible_duplicate: true } : {}),
    });

  const release: MessageStore['release'] = (messageId, claimId, claimableAt, noted) =>
    setOfClaim(messageId, claimId, { handover_until: claimableAt.toISOString(), ...noted });

  async function noteOutcome(messageId: string, claimId: string, noted: AttemptNote) {
    const { ExpressionAttributeValues, ...values } = setOrRemove({ ...noted });
    return updated(messageId, {
      ...values,
      ConditionExpression: 'handover_claim = :claim',
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ':claim': claimId },
    });
  }

  async function noteHandOver(messageId: string, noted: HandOverNote): Promise<void> {
    const { attempts, ...rest } = noted;
    const known = Object.entries({ ...notedIn(rest), sent_at: noted.at.toISOString() });
    const sets = known.map(([name]) => `${name} = if_not_exists(${name}, :${name})`);
    await update(messageId, {
      UpdateExpression: `SET ${[...sets, ...(attempts === undefined ? [] : ['attempts = :attempts'])].join(', ')}`,
      ConditionExpression: 'attribute_exists(message_id)',
      ExpressionAttributeValues: {
        ...Object.fromEntries(known.map(([name, value]) => [`:${name}`, value])),
        ...(attempts === undefined ? {} : { ':attempts': attempts }),
      },
    });
  }

  const noteFailedAttempt = (messageId: string, attempt: number) =>
    updated(messageId, {
      UpdateExpression: 'SET failed_attempt = :attempt',
      ConditionExpression:
        'attribute_exists(message_id) AND (attribute_not_exists(failed_attempt) OR failed_attempt < :attempt)',
      ExpressionAttributeValues: { ':attempt': attempt },
    });

  const fillInSent = (messageId: string, at: Date) =>
    updated(messageId, {
      UpdateExpression: 'SET sent_at = :at',
      ConditionExpression: 'attribute_not_exists(sent_at) AND #status IN (:failed, :expired)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':at': at.toISOString(), ':failed': 'failed', ':expired': 'expired' },
    });

  /** Adds a cost under the number of its attempt, so a repeated receipt adds nothing. */
  async function addCost(messageId: string, added: AttemptCost): Promise<void> {
    for (let tries = 0; tries < costTriesMax; tries += 1) {
      const message = await get(messageId);
      const next = message === undefined ? undefined : costsWith(message, added);
      if (message === undefined || next === undefined) return;
      const { applied } = await update(messageId, costsInput(message, next));
      if (applied) return;
    }
    throw new Error(`the costs of ${messageId} are written by too many at once`);
  }

  async function findByCarrierId(carrierMessageId: string): Promise<string | undefined> {
    const response = await client.send(
      new QueryCommand({
        TableName,
        IndexName: 'by-carrier-id',
        KeyConditionExpression: 'carrier_key = :id',
        ExpressionAttributeValues: { ':id': carrierMessageId },
        Limit: 1,
      }),
    );
    const [item] = response.Items ?? [];
    return item === undefined ? undefined : messageKey.parse(item).message_id;
  }

  return {
    ...manyMessages(client, table),
    create,
    createLeg: (leg, earlierLegIds) => createLeg(client, table, leg, earlierLegIds),
    get,
    claim,
    recordAttempt,
    release,
    noteOutcome,
    transition,
    setNextLook,
    noteHandOver,
    addCost,
    noteFailedAttempt,
    fillInSent,
    findByCarrierId,
  };
}

const messageKey = z.object({ message_id: z.string() });

/** Returns the attributes that a report sets: fields of the message, and the key of the index by carrier id. */
function notedIn(report: Parameters<typeof fieldsOf>[0]): Record<string, unknown> {
  return withoutUndefined({ ...fieldsOf(report), carrier_key: report.carrierMessageId });
}

/** Makes a single write of the new state and the times of all states that it implies. */
function transitionInput(change: Transition, due: Partial<DueFields>) {
  const from = transitions[change.to].from.filter((state) => change.notSent !== true || state !== 'sent');
  const values: Record<string, unknown> = { ':to': change.to, ':at': change.at.toISOString() };
  const sets = ['#status = :to'];
  for (const state of statesEntered(change)) sets.push(`${state}_at = if_not_exists(${state}_at, :at)`);
  const { attempts, reportedAttempt: reported_attempt } = change;
  const noted = { ...notedIn(change), ...withoutUndefined({ attempts, reported_attempt }), ...due };
  const removed: string[] = [];
  for (const [name, value] of Object.entries(noted)) {
    if (value === undefined) {
      removed.push(name);
      continue;
    }
    values[`:${name}`] = value;
    sets.push(`${name} = :${name}`);
  }
  if (change.to === 'delivered' || change.to === 'read') removed.push('error_code', 'error_message');
  const states = from.map((state, index) => {
    values[`:from${index}`] = state;
    return `:from${index}`;
  });
  const conditions = [];
  // A row without attempts was not handed over.
  if (change.ofAttempt !== undefined) {
    const { number, seen } = change.ofAttempt;
    Object.assign(values, withoutUndefined({ ':attempt': number, ':seen': seen }));
    const isAsSeen = seen === undefined ? '' : ' AND attempts = :seen';
    conditions.push(`(attribute_not_exists(attempt) OR (attempt <= :attempt${isAsSeen}))`);
  }
  if (change.notFailed !== undefined) {
    values[':notFailed'] = change.notFailed;
    conditions.push('(attribute_not_exists(failed_attempt) OR failed_attempt <> :notFailed)');
  }
  return {
    UpdateExpression: `SET ${sets.join(', ')}${removed.length > 0 ? ` REMOVE ${removed.join(', ')}` : ''}`,
    ConditionExpression: [`#status IN (${states.join(', ')})`, ...conditions].join(' AND '),
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: values,
  };
}

export function messagesFrom(env: Environment<'MESSAGES_TABLE' | 'RETENTION_DAYS'>): MessageStore {
  return dynamoMessageStore(dynamo(), { tableName: env.MESSAGES_TABLE, retentionDays: env.RETENTION_DAYS });
}

/** At most two carriers report at the same moment. */
const costTriesMax = 5;

const costFields = ['costs', 'cost', 'currency', 'cost_reported'] as const;
type CostFields = Partial<Pick<Message, (typeof costFields)[number]>>;

/** Writes the costs on the condition that they are as they were seen. */
function costsInput(seen: CostFields, next: CostFields) {
  const isAsSeen = costFields.map((name) =>
    seen[name] === undefined ? `attribute_not_exists(${name})` : `${name} = :seen_${name}`,
  );
  const values = costFields.flatMap((name) => [
    [`:${name}`, next[name]],
    [`:seen_${name}`, seen[name]],
  ]);
  return {
    UpdateExpression: `SET ${costFields.map((name) => `${name} = :${name}`).join(', ')}`,
    ConditionExpression: ['attribute_exists(message_id)', ...isAsSeen].join(' AND '),
    ExpressionAttributeValues: withoutUndefined(Object.fromEntries(values)),
  };
}
