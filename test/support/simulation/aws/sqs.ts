/** SQS in memory, with the rules of its API reference. Consumers of a queue are notified when a message can be received. */
import { createHash } from 'node:crypto';
import type { DeployedQueue } from '../deployment.ts';
import type { Faults } from '../faults.ts';
import type { VirtualTime } from '../virtual-time.ts';
import { ServiceError } from './service-error.ts';

export interface QueueMessage {
  readonly id: string;
  readonly body: string;
  readonly sentAtMs: number;
  receives: number;
  /** The handle of the last receive; another receive makes it void. */
  receipt: string;
  /** Counts each change of the time at which it is shown: an earlier time no longer counts. */
  version: number;
  visible: boolean;
  deleted: boolean;
}

export interface Queue extends DeployedQueue {
  readonly messages: Set<QueueMessage>;
  /** Called when a message becomes visible. */
  onVisible: () => void;
}

interface Entry {
  readonly Id: string;
  readonly MessageBody?: string;
  readonly DelaySeconds?: number;
  readonly MessageGroupId?: string;
}

const bytesMax = 1_048_576;
const badCharacter = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

export type Sqs = ReturnType<typeof simulatedSqs>;

export function simulatedSqs(definitions: readonly DeployedQueue[], time: VirtualTime, faults: Faults) {
  const queues = new Map<string, Queue>(
    definitions.map((each) => [each.name, { ...each, messages: new Set(), onVisible: () => undefined }]),
  );
  let ids = 0;
  const newId = (prefix: string): string => {
    ids += 1;
    return `${prefix}-${ids}`;
  };

  function queueNamed(name: string): Queue {
    const queue = queues.get(name);
    if (queue === undefined) throw new ServiceError('QueueDoesNotExist', `no queue ${name}`);
    return queue;
  }
  const queueOf = (url: string): Queue => queueNamed(url.replace(/^.*\//, ''));

  function showAfter(queue: Queue, message: QueueMessage, ms: number): void {
    message.visible = false;
    message.version += 1;
    const { version } = message;
    time.at(time.now() + ms, () => {
      if (message.deleted || message.version !== version) return;
      message.visible = true;
      queue.onVisible();
    });
  }

  function put(queue: Queue, body: string, delaySeconds = 0): string {
    const { fault, point } = faults.decide(
      `${queue.name} message`,
      // The due index finds what these queues lost.
      {
        'arrives twice': 0.01,
        'comes late': 0.005,
        ...(/(Outbound|Webhooks|Retries)$/.test(queue.name) ? { 'is lost': 0.002 } : {}),
      },
      time.now(),
    );
    const id = newId(queue.name);
    if (fault === 'is lost') return id;
    const lateMs = fault === 'comes late' ? faults.durationMs(point, 1000, 60_000) : 0;
    for (let copies = fault === 'arrives twice' ? 2 : 1; copies > 0; copies -= 1) {
      const message = {
        ...{
          id,
          body,
          sentAtMs: time.now(),
          receives: 0,
          receipt: '',
          version: 0,
          visible: false,
          deleted: false,
        },
      };
      queue.messages.add(message);
      const ms = delaySeconds * 1000 + lateMs + faults.durationMs(`${point} copy ${copies}`, 2, 500);
      showAfter(queue, message, ms);
    }
    return id;
  }

  function faultOf({ MessageBody = '', MessageGroupId, DelaySeconds = 0 }: Entry): string | undefined {
    if (MessageBody === '') return 'MissingParameter';
    if (badCharacter.test(MessageBody)) return 'InvalidMessageContents';
    if (MessageGroupId !== undefined && !/^[!-~]{1,128}$/.test(MessageGroupId))
      return 'InvalidParameterValue';
    if (!Number.isInteger(DelaySeconds) || DelaySeconds < 0 || DelaySeconds > 900)
      return 'InvalidParameterValue';
    return Buffer.byteLength(MessageBody) > bytesMax ? 'InvalidParameterValue' : undefined;
  }

  function sendBatch({
    QueueUrl,
    Entries,
  }: {
    readonly QueueUrl: string;
    readonly Entries: readonly Entry[];
  }) {
    const queue = queueOf(QueueUrl);
    if (Entries.length > 10) throw new ServiceError('TooManyEntriesInBatchRequest', 'more than 10 entries');
    if (Entries.length === 0) throw new ServiceError('EmptyBatchRequest', 'no entries');
    if (new Set(Entries.map(({ Id }) => Id)).size < Entries.length)
      throw new ServiceError('BatchEntryIdsNotDistinct', 'two entries with one id');
    const bytes = Entries.reduce((sum, { MessageBody = '' }) => sum + Buffer.byteLength(MessageBody), 0);
    if (bytes > bytesMax) throw new ServiceError('BatchRequestTooLong', 'the batch is too long');
    const Successful: object[] = [];
    const Failed: object[] = [];
    for (const entry of Entries) {
      const Code = faultOf(entry);
      if (Code !== undefined) Failed.push({ Id: entry.Id, SenderFault: true, Code });
      else {
        const { MessageBody = '', DelaySeconds } = entry;
        Successful.push({
          Id: entry.Id,
          MessageId: put(queue, MessageBody, DelaySeconds),
          MD5OfMessageBody: md5(MessageBody),
        });
      }
    }
    return { Successful, Failed };
  }

  /** At most `max` visible messages; one that was received too often goes to the dead-letter queue instead. */
  function receive(queue: Queue, max: number, visibilitySeconds = queue.visibilitySeconds): QueueMessage[] {
    const received: QueueMessage[] = [];
    for (const message of queue.messages) {
      if (received.length >= max) break;
      if (!message.visible) continue;
      message.receives += 1;
      if (queue.redrive !== undefined && message.receives > queue.redrive.maxReceives) {
        remove(queue, message);
        put(queueNamed(queue.redrive.to), message.body);
        continue;
      }
      message.receipt = newId('receipt');
      showAfter(queue, message, visibilitySeconds * 1000);
      received.push(message);
    }
    return received;
  }

  function remove(queue: Queue, message: QueueMessage): void {
    message.deleted = true;
    queue.messages.delete(message);
  }

  function received(queue: Queue, receipt: string): QueueMessage | undefined {
    for (const message of queue.messages) if (message.receipt === receipt) return message;
    return undefined;
  }

  return {
    queueNamed,
    put: (name: string, body: string, delaySeconds?: number) => put(queueNamed(name), body, delaySeconds),
    receive,
    remove,
    all: [...queues.values()] as readonly Queue[],

    /** Returns the response of `ReceiveMessage`. May wait. */
    async receiveMessages(input: {
      readonly QueueUrl: string;
      readonly MaxNumberOfMessages?: number;
      readonly WaitTimeSeconds?: number;
    }) {
      const queue = queueOf(input.QueueUrl);
      const until = time.now() + (input.WaitTimeSeconds ?? 0) * 1000;
      let found = receive(queue, input.MaxNumberOfMessages ?? 1);
      while (found.length === 0 && time.now() < until) {
        await time.sleep(100);
        found = receive(queue, input.MaxNumberOfMessages ?? 1);
      }
      return {
        Messages: found.map(({ id, body, receipt, receives }) => ({
          MessageId: id,
          ReceiptHandle: receipt,
          Body: body,
          MD5OfBody: md5(body),
          Attributes: { ApproximateReceiveCount: String(receives) },
        })),
      };
    },

    call(operation: string, input: never): object {
      const { QueueUrl, ReceiptHandle, VisibilityTimeout } = input as {
        readonly QueueUrl: string;
        readonly ReceiptHandle: string;
        readonly VisibilityTimeout: number;
      };
      const queue = queueOf(QueueUrl);
      switch (operation) {
        case 'SendMessageBatch':
          return sendBatch(input);
        case 'SendMessage': {
          const entry = input as Entry;
          const Code = faultOf(entry);
          if (Code !== undefined) throw new ServiceError(Code, 'the message was refused');
          const { MessageBody = '', DelaySeconds } = entry;
          return { MessageId: put(queue, MessageBody, DelaySeconds), MD5OfMessageBody: md5(MessageBody) };
        }
        case 'GetQueueAttributes': {
          const waiting = [...queue.messages].filter(({ visible }) => visible).length;
          return { Attributes: { ApproximateNumberOfMessages: String(waiting) } };
        }
        case 'DeleteMessage': {
          const message = received(queue, ReceiptHandle);
          if (message !== undefined) remove(queue, message);
          return {};
        }
        case 'ChangeMessageVisibility': {
          const message = received(queue, ReceiptHandle);
          if (message === undefined || message.visible)
            throw new ServiceError('MessageNotInflight', 'the message is not in flight');
          showAfter(queue, message, VisibilityTimeout * 1000);
          return {};
        }
        default:
          throw new Error(`the simulation has no ${operation} of SQS`);
      }
    },
  };
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
