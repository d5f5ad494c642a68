/** Sends messages to a queue in as few calls as SQS allows, because it charges for calls. */
import {
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { allEnded, isPermanentFault, isSenderFault, RefusedEntries } from './permanent-fault.ts';
import { messageGroupOf, queueText } from './queue-text.ts';

interface QueueMessage {
  /** A JSON document. */
  readonly json: string;
  /** The message group of a fair queue is the client's. */
  readonly clientId: string;
  /** Whole seconds, at most 900. */
  readonly delaySeconds?: number | undefined;
}

/** The limits of one call. SQS raised the bytes to 1 MiB in 2025; 256 KiB is accepted in every region. */
const batchSize = 10;
const batchBytes = 262_144;

interface Entry extends SendMessageBatchRequestEntry {
  readonly index: number;
}

type Refused = RefusedEntries['entries'];

/**
 * @throws RefusedEntries if SQS refused some of them permanently and accepted all the others.
 * @throws any other error if some of them may not be in the queue and a retry may help.
 */
export async function sendMessages(
  client: SQSClient,
  queueUrl: string,
  messages: readonly QueueMessage[],
): Promise<void> {
  const batches = batchesOf(messages.map(entryOf));
  const refused = await allEnded(batches.map((batch) => sendBatch(client, queueUrl, batch)));
  if (refused.flat().length > 0) throw new RefusedEntries(refused.flat());
}

function entryOf({ json, clientId, delaySeconds }: QueueMessage, index: number): Entry {
  return {
    index,
    Id: String(index),
    MessageBody: queueText(json),
    MessageGroupId: messageGroupOf(clientId),
    DelaySeconds: delaySeconds,
  };
}

/** In order. A message above the limit of bytes is the only one of its batch. */
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
async function sendBatch(client: SQSClient, queueUrl: string, batch: readonly Entry[]): Promise<Refused> {
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
