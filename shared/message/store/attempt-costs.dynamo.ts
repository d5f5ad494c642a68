/**
 * Adds up what several attempts of a message cost: each carrier that took it asks for its price. A cost is written under the
 * number of its attempt, so that a repeated receipt adds nothing.
 */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../../platform/aws/conditional-write.dynamo.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import type { AttemptCosts } from '../attempt.ts';
import type { Message } from '../message.ts';

export interface AttemptCost {
  readonly attempt: number;
  readonly cost: number;
  readonly currency: string;
  /** Whether it is the carrier's figure, which replaces an estimate. */
  readonly reported: boolean;
}

/** Two carriers report at the same moment at most. */
const triesMax = 5;
const fractionDigits = 6;

export async function addCost(
  client: DynamoDBDocumentClient,
  TableName: string,
  messageId: string,
  get: (messageId: string) => Promise<Message | undefined>,
  added: AttemptCost,
): Promise<void> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const message = await get(messageId);
    if (message === undefined) return;
    const costs = withCost(message.costs ?? {}, added);
    if (costs === undefined) return;
    const { applied } = await conditionalUpdate(client, {
      TableName,
      Key: { message_id: messageId },
      UpdateExpression: 'SET costs = :costs, cost = :cost, currency = :currency, cost_reported = :reported',
      ConditionExpression: message.cost === undefined ? 'attribute_not_exists(cost)' : 'cost = :seen',
      ExpressionAttributeValues: withoutUndefined({ ...sumOf(costs, added.currency), ':seen': message.cost }),
    });
    if (applied) return;
  }
  throw new Error(`the costs of ${messageId} are written by too many at once`);
}

/** Undefined where nothing changes. */
function withCost(
  costs: AttemptCosts,
  { attempt, cost, currency, reported }: AttemptCost,
): AttemptCosts | undefined {
  const known = costs[attempt];
  if (known?.reported === true && !reported) return undefined;
  if (known?.cost === cost && known.currency === currency && (known.reported ?? false) === reported)
    return undefined;
  return { ...costs, [attempt]: { cost, currency, ...(reported ? { reported } : {}) } };
}

/** A message has one currency: what another carrier asks for in another one is in `costs` only. */
function sumOf(costs: AttemptCosts, currency: string) {
  const summed = Object.values(costs).filter((each) => each.currency === currency);
  const sum = summed.reduce((total, { cost }) => total + cost, 0);
  return {
    ':costs': costs,
    ':cost': Number(sum.toFixed(fractionDigits)),
    ':currency': currency,
    ':reported': summed.every(({ reported }) => reported === true),
  };
}
