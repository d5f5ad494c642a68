/** What each attempt of a message costs, and their sum, in the row of the message. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { conditionalUpdate } from '../../platform/aws/conditional-write.dynamo.ts';
import { withoutUndefined } from '../../platform/object-fields.ts';
import { type AttemptCosts, mayBeTaken } from '../attempt.ts';
import type { Message } from '../message.ts';
import type { AttemptCost } from './message-store.ts';

/** At most two carriers report at the same moment. */
const triesMax = 5;
const fractionDigits = 6;

/**
 * Adds up what several attempts of a message cost, because each carrier that took it asks for its price. A cost is stored
 * under the number of its attempt, so a repeated receipt adds nothing.
 */
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
    const costs = withCost(costsOf(message), added);
    if (costs === undefined) return;
    const isAsSeen = [
      'attribute_exists(message_id)',
      message.cost === undefined ? 'attribute_not_exists(cost)' : 'cost = :seen',
      message.costs === undefined ? 'attribute_not_exists(costs)' : 'costs = :seenCosts',
      message.currency === undefined ? 'attribute_not_exists(currency)' : 'currency = :seenCurrency',
      message.cost_reported === undefined
        ? 'attribute_not_exists(cost_reported)'
        : 'cost_reported = :seenReported',
    ];
    const { applied } = await conditionalUpdate(client, {
      TableName,
      Key: { message_id: messageId },
      UpdateExpression: 'SET costs = :costs, cost = :cost, currency = :currency, cost_reported = :reported',
      ConditionExpression: isAsSeen.join(' AND '),
      ExpressionAttributeValues: withoutUndefined({
        ...sumOf(costs, currencyOf(message, added)),
        ':seen': message.cost,
        ':seenCosts': message.costs,
        ':seenCurrency': message.currency,
        ':seenReported': message.cost_reported,
      }),
    });
    if (applied) return;
  }
  throw new Error(`the costs of ${messageId} are written by too many at once`);
}

/**
 * The cost of each attempt. While one carrier alone might have the message, its cost was stored as that of the message; a report
 * may have done so while the next attempt began.
 */
function costsOf({ costs, cost, currency, cost_reported: reported, attempts = [] }: Message): AttemptCosts {
  const first = attempts.find(mayBeTaken);
  if (costs !== undefined || cost === undefined || currency === undefined || first === undefined)
    return costs ?? {};
  return { [first.number]: { cost, currency, ...(reported === true ? { reported } : {}) } };
}

/** Returns undefined if nothing changes. */
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

/** An estimate does not take the place of what a carrier reported in another currency. */
function currencyOf({ costs = {}, currency = '' }: Message, added: AttemptCost): string {
  const isReported = Object.values(costs).some((each) => each.currency === currency && each.reported);
  return isReported && !added.reported ? currency : added.currency;
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
