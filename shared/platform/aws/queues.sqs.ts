/**
 * Sends to SQS in as few calls as possible, because SQS charges for each call. Also receives messages, and escapes texts
 * that SQS refuses.
 */
import { createHash } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  type MessageSystemAttributeName,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { QueueRecord } from '../process-queue-batch.ts';
import { escaped } from '../visible-text.ts';
import { allEnded, isPermanentFault, isSenderFault, RefusedEntries } from './permanent-fault.ts';

/** The limits of one call. SQS allows 1 MiB since 2025, but every region accepts 256 KiB. */
const batchSize = 10;
const batchBytes = 262_144;

interface Entry extends SendMessageBatchRequestEntry {
  readonly index: number;
}

/**
 * @throws RefusedEntries if SQS permanently refused some entries and accepted all others.
 * @throws any other error if some entries may be missing and a retry may help.
 */
export async function sendMessages(
  client: SQSClient,
  queueUrl: string,
  messages: readonly {
    readonly json: string;
    /** The client, which is the message group of a fair queue. */
    readonly clientId: string;
    /** Whole seconds, at most 900. */
    readonly delaySeconds?: number | undefined;
  }[],
): Promise<void> {
  const batches = batchesOf(messages.map(entryOf));
  const refused = await allEnded(batches.map((batch) => sendBatch(client, queueUrl, batch)));
  if (refused.flat().length > 0) throw new RefusedEntries(refused.flat());
}

function entryOf(
  {
    json,
    clientId,
    delaySeconds,
  }: {
    readonly json: string;
    /** The client, which is the message group of a fair queue. */
    readonly clientId: string;
    /** Whole seconds, at most 900. */
    readonly delaySeconds?: number | undefined;
  },
  index: number,
): Entry {
  return {
    index,
    Id: String(index),
    MessageBody: queueText(json),
    MessageGroupId: messageGroupOf(clientId),
    DelaySeconds: delaySeconds,
  };
}

/** Splits the entries into batches, in order. A message above the byte limit gets a batch of its own. */
function batchesOf(entries: readonly Entry[]): Entry[][] {
  const batches: { entries: Entry[]; bytes: number }[] = [];
  for (const entry of entries) {
    const bytes = Buffer.byteLength(entry.MessageBody ?? '');
    const open = batches.at(-1);
    if (open !== undefined && open.entries.length < batchSize && open.bytes + bytes <= batchBytes) {
      open.entries.push(entry);
      open.bytes += bytes;
    } else batches.push({ entries: [entry], bytes });
  }
  return batches.map((batch) => batch.entries);
}

/** Returns the refused entries. If SQS refuses the whole call, each entry is sent in a call of its own. */
async function sendBatch(
  client: SQSClient,
  queueUrl: string,
  batch: readonly Entry[],
): Promise<RefusedEntries['entries']> {
  const Entries = batch.map(({ index: _index, ...entry }) => entry);
  try {
    const response = await client.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    const failed = response.Failed ?? [];
    const passing = failed.filter(
      ({ SenderFault, Code = '' }) => SenderFault !== true || !isSenderFault(Code),
    );
    if (passing.length > 0)
      throw new Error(`${passing.length} of ${batch.length} messages were not accepted by the queue`);
    return failed.map(({ Id, Code = '' }) => ({ index: Number(Id), code: Code }));
  } catch (error) {
    if (!isPermanentFault(error)) throw error;
    const [only, ...others] = batch;
    if (only === undefined) return [];
    if (others.length === 0) return [{ index: only.index, code: error instanceof Error ? error.name : '' }];
    const alone = await Promise.all(batch.map((entry) => sendBatch(client, queueUrl, [entry])));
    return alone.flat();
  }
}

/** Hides a received queue message for longer, so that SQS delivers it again later. */
export function changeVisibilityOn(client: SQSClient, queueUrl: string) {
  return async (receiptHandle: string, seconds: number): Promise<void> => {
    const input = { QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
    await client.send(new ChangeMessageVisibilityCommand(input));
  };
}

/** Returns the approximate number of messages that can be received from the queue now. */
export async function waitingIn(client: SQSClient, queueUrl: string): Promise<number> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
}

/** Below the time limit of a call (`clients.ts`), because a call that timed out may have received messages. */
const waitSeconds = 1;

/**
 * Waits up to a second for the first message, so that SQS asks all of its servers. If no message arrives, the queue is
 * empty.
 */
export async function receiveFrom(
  client: SQSClient,
  input: ReceiveMessageCommandInput,
  ...more: readonly MessageSystemAttributeName[]
): Promise<readonly (QueueRecord & { readonly attributes: Message['Attributes'] })[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      ...input,
      WaitTimeSeconds: waitSeconds,
      MessageSystemAttributeNames: ['ApproximateReceiveCount', ...more],
    }),
  );
  return Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '', Attributes = {} }) => ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: {
      ...Attributes,
      ApproximateReceiveCount: Attributes.ApproximateReceiveCount ?? '1',
    },
  }));
}

/** Receives and deletes the messages of a queue. */
export function receiverOn(client: SQSClient, queueUrl: string) {
  return {
    receive: (max: number) => receiveFrom(client, { QueueUrl: queueUrl, MaxNumberOfMessages: max }),

    async delete(receiptHandle: string): Promise<void> {
      await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle: receiptHandle }));
    },
  };
}

/**
 * SQS accepts #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF. `JSON.stringify` escapes control
 * characters and lone surrogates, so only U+FFFE and U+FFFF remain.
 */
const notAccepted = /[^\t\n\r\u0020-\uFFFD]/g;

/**
 * Returns the same JSON document with an escape in place of every character that SQS refuses. It parses to the same value.
 */
export function queueText(json: string): string {
  return json.replace(notAccepted, escaped);
}

/**
 * Returns the message group of a client. SQS accepts up to 128 visible ASCII characters, so any other id is replaced by its
 * hash.
 */
export function messageGroupOf(clientId: string): string {
  return /^[!-~]{1,128}$/.test(clientId) ? clientId : hashOf(clientId);
}

/**
 * Returns a schedule's name. EventBridge Scheduler accepts only 64 characters of a small set, so any other name is replaced
 * by its hash.
 */
export function scheduleNameOf(name: string): string {
  return /^[0-9a-zA-Z._-]{1,64}$/.test(name) ? name : hashOf(name);
}

function hashOf(text: string): string {
  // The hash is of the code units, because all lone surrogates become the same in UTF-8.
  return createHash('sha256').update(text, 'utf16le').digest('hex');
}
