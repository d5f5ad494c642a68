/** Invokes the functions as their event sources do: batches of queues and of tables' streams, and runs at intervals. */
import type { Change } from '../aws/dynamodb.ts';
import type { Queue, QueueMessage, Sqs } from '../aws/sqs.ts';
import type { DeployedFunction, Deployment, QueueSource, StreamSource } from '../deployment.ts';
import type { Faults } from '../faults.ts';
import { hashOf } from '../random.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { matches } from './event-pattern.ts';
import type { Processes } from './processes.ts';

interface SourceSettings {
  readonly deployment: Deployment;
  readonly processes: Processes;
  readonly sqs: Sqs;
  readonly time: VirtualTime;
  readonly faults: Faults;
  /** How many of the new messages the relay does not get at present. */
  readonly missedShare: () => number;
  /** Returns true if the functions on timers would find no work. Most of their runs are then skipped. */
  readonly isIdle: () => boolean;
}

interface StreamRecord {
  readonly eventID: string;
  readonly eventName: 'INSERT' | 'MODIFY' | 'REMOVE';
  readonly eventSource: 'aws:dynamodb';
  readonly eventSourceARN: string;
  readonly dynamodb: Readonly<Record<string, unknown>>;
}

const shards = 2;
const retryMs = 1000;
/** While nothing is due, one run of so many takes place of the functions that run each minute. */
const idleRuns = 120;

export function eventSources(settings: SourceSettings) {
  const { deployment, processes, sqs, time, faults } = settings;
  const functions = new Map(deployment.functions.map((each) => [each.id, each]));
  let sequence = 0;
  /** The number of records that no source has processed yet. */
  let waitingRecords = 0;

  function functionNamed(id: string): DeployedFunction {
    const found = functions.get(id);
    if (found === undefined) throw new Error(`no function ${id}`);
    return found;
  }

  function pollQueue(source: QueueSource): void {
    const queue = sqs.queueNamed(source.queue);
    const deployed = functionNamed(source.functionId);
    let running = 0;
    let polling = false;

    async function run(messages: readonly QueueMessage[]): Promise<void> {
      const receipts = messages.map(({ receipt }) => receipt);
      const outcome = await processes.invoke(deployed, {
        Records: messages.map((each) => recordOf(queue, each)),
      });
      running -= 1;
      if (outcome.answered) {
        const failures = Object(outcome.value).batchItemFailures as { itemIdentifier: string }[] | undefined;
        const failed = new Set(failures?.map(({ itemIdentifier }) => itemIdentifier));
        for (const [index, message] of messages.entries())
          if (!failed.has(message.id) && message.receipt === receipts[index]) sqs.remove(queue, message);
      }
      poll();
    }

    function poll(): void {
      if (polling || running >= source.maxConcurrency) return;
      polling = true;
      const { point } = faults.decide(`${source.queue} poll`, {}, time.now());
      time.at(time.now() + source.windowSeconds * 1000 + faults.durationMs(point, 1, 30), () => {
        polling = false;
        const messages = sqs.receive(queue, source.batchSize);
        if (messages.length === 0) return;
        running += 1;
        run(messages);
        poll();
      });
    }
    queue.onVisible = poll;
  }

  /** Returns true if the relay does not get the record. This happens only to new messages, which the due index finds. */
  function isMissed(source: StreamSource, { eventName, dynamodb }: StreamRecord, name: string): boolean {
    const status: unknown = Reflect.get(Object(Reflect.get(Object(dynamodb.NewImage), 'status')), 'S');
    if (source.table !== 'Messages' || functionNamed(source.functionId).file !== 'relay-changes')
      return false;
    if (eventName !== 'INSERT' || (status !== 'queued' && status !== 'scheduled')) return false;
    const { fault } = faults.decide(
      `${name} new message`,
      { 'is missed': settings.missedShare() },
      time.now(),
    );
    return fault !== undefined;
  }

  /** One lane of a shard: its records in order, one batch at a time. */
  function lane(source: StreamSource, name: string): (record: StreamRecord) => void {
    const deployed = functionNamed(source.functionId);
    const records: StreamRecord[] = [];
    let size = source.batchSize;
    let retries = 0;
    let reading = false;
    let inWindow = false;

    /** In a window Lambda names the shard, and fails an answer without a state. */
    async function call(Records: readonly StreamRecord[], isFinalInvokeForWindow = false): Promise<boolean> {
      if (source.tumblingSeconds === 0) return (await processes.invoke(deployed, { Records })).answered;
      const event = { Records, shardId: name, isFinalInvokeForWindow };
      const outcome = await processes.invoke(deployed, event);
      return outcome.answered && Object(outcome.value).state !== undefined;
    }

    /** The window ends between two batches; until its last call has succeeded, there is no other. */
    function endWindow(): void {
      if (reading) {
        time.at(time.now() + 100, endWindow);
        return;
      }
      reading = true;
      call([], true).then((succeeded) => {
        if (succeeded) {
          inWindow = false;
          waitingRecords -= 1;
        }
        time.at(time.now() + (succeeded ? 1 : retryMs), () => {
          reading = false;
          if (succeeded) read();
          else endWindow();
        });
      });
    }

    function end(batch: readonly StreamRecord[], succeeded: boolean): void {
      const { fault } = faults.decide(`${name} batch`, { 'repeats the batch': 0.01 }, time.now());
      const spent = !succeeded && source.retriesMax !== undefined && retries >= source.retriesMax;
      if (succeeded ? fault !== 'repeats the batch' : spent && batch.length === 1) {
        records.splice(0, batch.length);
        waitingRecords -= batch.length;
        if (!succeeded && source.onFailure !== undefined) sqs.put(source.onFailure, lostBatchOf(batch));
      }
      if (succeeded || spent) retries = 0;
      else retries += 1;
      size = succeeded ? source.batchSize : source.bisects ? Math.max(1, batch.length >> 1) : size;
      time.at(time.now() + (succeeded ? 1 : Math.min(60_000, retryMs * 2 ** Math.min(6, retries))), () => {
        reading = false;
        read();
      });
    }

    function read(): void {
      if (reading || records.length === 0) return;
      reading = true;
      const batch = records.slice(0, size);
      if (source.tumblingSeconds > 0 && !inWindow) {
        inWindow = true;
        waitingRecords += 1;
        time.at(time.now() + source.tumblingSeconds * 1000, endWindow);
      }
      call(batch).then((succeeded) => end(batch, succeeded));
    }

    return (record) => {
      if (isMissed(source, record, name)) return;
      records.push(record);
      waitingRecords += 1;
      const { fault, point } = faults.decide(`${name} record`, { 'comes late': 0.005 }, time.now());
      const lateMs = fault === 'comes late' ? faults.durationMs(point, 2000, 45_000) : 0;
      const windowMs = records.length < source.batchSize ? source.windowSeconds * 1000 : 0;
      time.at(time.now() + windowMs + lateMs + faults.durationMs(point, 20, 800), read);
    };
  }

  const readers = new Map<string, ((record: StreamRecord, lane: number) => void)[]>();
  for (const [index, source] of deployment.streamSources.entries()) {
    const count = shards * source.atOnce;
    const lanes = Array.from({ length: count }, (_, i) =>
      lane(source, `${source.table} stream ${index} lane ${i}`),
    );
    const passes = (record: StreamRecord): boolean =>
      source.filters.length === 0 || source.filters.some((pattern) => matches(pattern, record));
    const read = (record: StreamRecord, hash: number): void => {
      if (passes(record)) lanes[hash % count]?.({ ...record, eventSourceARN: source.sourceArn });
    };
    readers.set(source.table, [...(readers.get(source.table) ?? []), read]);
  }

  function runAtIntervals(id: string, seconds: number): void {
    const deployed = functionNamed(id);
    const phaseMs = faults.random(`phase of ${id}`)() * seconds * 1000;
    let runs = 0;
    const run = (): void => {
      runs += 1;
      const { fault, point } = faults.decide(
        `${id} timer`,
        { 'is not run': 0.01, 'arrives twice': 0.01 },
        time.now(),
      );
      time.at(time.now() + seconds * 1000, run);
      const isLeftOut = seconds <= 60 && runs % idleRuns !== 0 && settings.isIdle();
      if (fault === 'is not run' || isLeftOut) return;
      const start = (): void => void processes.invoke(deployed, {});
      time.at(time.now() + faults.durationMs(point, 0, 3000), start);
      if (fault === 'arrives twice')
        time.at(time.now() + faults.durationMs(`${point} again`, 0, 30_000), start);
    };
    time.at(time.now() + phaseMs, run);
  }

  for (const source of deployment.queueSources) pollQueue(source);
  for (const { functionId, seconds } of deployment.timers) runAtIntervals(functionId, seconds);

  return {
    /** A change of a table goes to the readers of its stream. */
    changed({ table, keys, before, after }: Change): void {
      const found = readers.get(table);
      if (found === undefined) return;
      sequence += 1;
      const record: StreamRecord = {
        eventID: hashOf('event', sequence).toString(16).padStart(8, '0') + sequence,
        eventName: before === undefined ? 'INSERT' : after === undefined ? 'REMOVE' : 'MODIFY',
        eventSource: 'aws:dynamodb',
        eventSourceARN: '',
        dynamodb: {
          ApproximateCreationDateTime: Math.floor(time.now() / 1000),
          Keys: keys,
          ...(after === undefined ? {} : { NewImage: after }),
          ...(before === undefined ? {} : { OldImage: before }),
          SequenceNumber: String(sequence).padStart(21, '0'),
          StreamViewType: 'NEW_AND_OLD_IMAGES',
        },
      };
      const hash = hashOf(JSON.stringify(keys));
      for (const read of found) read(record, hash);
    },

    /** Returns true if a stream contains records that a function must still process. */
    isBusy: () => waitingRecords > 0,
  };
}

function lostBatchOf(batch: readonly StreamRecord[]): string {
  const [first, last] = [batch[0], batch.at(-1)].map((record) =>
    new Date(Number(record?.dynamodb.ApproximateCreationDateTime) * 1000).toISOString(),
  );
  return JSON.stringify({
    DDBStreamBatchInfo: { approximateArrivalOfFirstRecord: first, approximateArrivalOfLastRecord: last },
  });
}

function recordOf({ arn }: Queue, { id, receipt, body, receives, sentAtMs }: QueueMessage): object {
  return {
    messageId: id,
    receiptHandle: receipt,
    body,
    attributes: { ApproximateReceiveCount: String(receives), SentTimestamp: String(sentAtMs) },
    messageAttributes: {},
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: 'eu-west-1',
  };
}
