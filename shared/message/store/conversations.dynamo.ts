/** Reads the messages with a recipient, by the index that contains both directions and all clients. */
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Context } from '../../platform/context.ts';
import type { Message } from '../message.ts';
import { listPosition } from './message-row.ts';
import { readMessages } from './messages.dynamo.ts';

const pageSize = 100;
/** How many messages are searched for a contact that could not be written. */
const consideredMax = 2000;

export interface Written {
  readonly clientId: string;
  /** The recipient's number to which the client wrote. */
  readonly recipient: string;
  readonly at: Date;
}

const indexRow = z.object({ message_id: z.string() });
const indexPosition = z.object({ list_at: z.string() });

/**
 * Returns the newest messages to and from a recipient, of all clients, newest first. Fewer than the limit are returned if a
 * row is not yet visible or cannot be read. `nextBefore` is the position at which older messages begin; undefined if there
 * are none.
 *
 * @param before - `nextBefore` of the previous page
 */
export async function newestMessagesWith(
  ctx: Context<'MESSAGES_TABLE'>,
  person: string,
  limit: number,
  before?: string,
) {
  const { Items = [], LastEvaluatedKey } = await ctx.db.send(
    new QueryCommand({
      TableName: ctx.env.MESSAGES_TABLE,
      IndexName: 'by-recipient',
      KeyConditionExpression:
        before === undefined ? 'recipient = :person' : 'recipient = :person AND list_at < :before',
      ExpressionAttributeValues: {
        ':person': person,
        ...(before === undefined ? {} : { ':before': before }),
      },
      ScanIndexForward: false,
      Limit: limit,
    }),
  );
  const ids = Items.map((item) => indexRow.parse(item).message_id);
  // This read may be eventually consistent, because nobody can reply to a message while it is handed over.
  const found = await readMessages(ctx, ids, { consistent: false });
  return {
    messages: found.toSorted((one, other) => (listPosition(one) < listPosition(other) ? 1 : -1)),
    nextBefore: LastEvaluatedKey === undefined ? undefined : indexPosition.parse(LastEvaluatedKey).list_at,
  };
}

/**
 * Reads the messages to and from a recipient page by page, each page when it is needed.
 *
 * @param recipients - all spellings of the recipient's number
 */
export async function* conversationPages(
  ctx: Context<'MESSAGES_TABLE'>,
  recipients: readonly string[],
): AsyncGenerator<readonly Message[]> {
  let unread: readonly { readonly recipient: string; readonly before?: string }[] = recipients.map(
    (recipient) => ({ recipient }),
  );
  for (let considered = 0; considered < consideredMax && unread.length > 0; considered += pageSize) {
    const pages = await Promise.all(
      unread.map(async ({ recipient, before }) => ({
        recipient,
        ...(await newestMessagesWith(ctx, recipient, pageSize, before)),
      })),
    );
    yield pages.flatMap(({ messages }) => messages);
    unread = pages.flatMap(({ recipient, nextBefore: before }) =>
      before === undefined ? [] : [{ recipient, before }],
    );
  }
}

/** Returns the client of an outbound message whose attempt has no outcome yet, so that its carrier may have it. */
export function possiblyTakenOf({ client_id, recipient, sent_at, attempts = [] }: Message): Written[] {
  const unknown = attempts.findLast(({ outcome = 'unknown' }) => outcome === 'unknown');
  if (sent_at !== undefined || unknown === undefined) return [];
  return [{ clientId: client_id, recipient, at: new Date(unknown.at) }];
}

/** Returns the client of an outbound message that a carrier accepted, which is shown by `sent_at`. */
export function takenOf({ client_id, recipient, sent_at }: Message): Written[] {
  return sent_at === undefined ? [] : [{ clientId: client_id, recipient, at: new Date(sent_at) }];
}
