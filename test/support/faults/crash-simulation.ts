/**
 * One message on its way through relay, dispatch, receipts and webhooks, on real tables and queues, where the
 * process at work can be killed before or after any call that leaves it. The test plays AWS: it hands changes and
 * queue messages to the use cases as Lambda does, again and again until they got through.
 *
 * A killed process is a promise that never settles, so no `catch` or `finally` of the code under test softens it.
 */
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../../../shared/platform/aws/clients.ts';
import type { StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import type { Post } from '../../../shared/webhook/post/http-post.ts';
import { clientConfig } from '../gateway/gateway.ts';

export type Phase = 'before' | 'after';

export interface KillPoint {
  /** By its name, for some calls are made side by side, and how many of that name all processes make before it. */
  readonly call: string;
  readonly nth: number;
  readonly phase: Phase;
}

/** One process of a function, as long as it lives. */
export interface Process {
  readonly dynamo: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  readonly post: Post;
  /** What the function makes of its event; `killed` where the process did not live to tell. */
  run<T>(work: () => Promise<T>): Promise<T | 'killed'>;
}

interface Lives {
  /** The names of all calls so far, in order. */
  readonly calls: readonly string[];
  /** The call in which a process died, where one has. */
  readonly killedIn: string | undefined;
  /** The deliveries whose POST was begun, and its outcome not recorded, when the process died. */
  readonly unknownPosts: ReadonlySet<string>;
  /** The changes of the messages table that no relay got through with yet, oldest first. */
  readonly stream: StreamRecord[];
  newProcess(): Process;
  /** A write of the message that no process is killed in. */
  store(messageId: string, write: (dynamo: DynamoDBDocumentClient) => Promise<unknown>): Promise<void>;
  close(): void;
}

const never = new Promise<never>(() => {});

export function livesUntil(kill: KillPoint | undefined, messagesTable: string, post: Post): Lives {
  const calls: string[] = [];
  const stream: StreamRecord[] = [];
  const plain = new DynamoDBClient(clientConfig());
  const clients: { destroy(): void }[] = [plain];
  let killedIn: string | undefined;
  let unknownPosts: ReadonlySet<string> = new Set();
  let image: StreamImage;

  /** What the table's stream tells of a write that took effect. */
  async function noteChange(messageId: string): Promise<void> {
    const { Item } = await plain.send(
      new GetItemCommand({
        TableName: messagesTable,
        Key: { message_id: { S: messageId } },
        ConsistentRead: true,
      }),
    );
    stream.push({ dynamodb: { ...(image === undefined ? {} : { OldImage: image }), NewImage: Item } });
    image = Item;
  }

  function newProcess(): Process {
    let dead = false;
    const posting = new Set<string>();
    let announceDeath: () => void = () => undefined;
    const death = new Promise<'killed'>((resolve) => {
      announceDeath = () => resolve('killed');
    });
    const die = (name: string, phase: Phase): Promise<never> => {
      dead = true;
      killedIn = `${phase} ${name}`;
      unknownPosts = new Set(posting);
      announceDeath();
      return never;
    };

    async function live<T>(name: string, act: () => Promise<T>): Promise<T> {
      if (dead) return never;
      const nth = calls.filter((earlier) => earlier === name).length;
      calls.push(name);
      const here = kill?.call === name && kill.nth === nth ? kill.phase : undefined;
      if (here === 'before') return die(name, 'before');
      const settled = await act().then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error;
        },
      );
      // A call under way when its process dies takes effect, and nobody hears of it.
      if (dead) return never;
      if (here === 'after') return die(name, 'after');
      return settled();
    }

    const client = new DynamoDBClient({ ...clientConfig(), maxAttempts: 3 });
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const text = JSON.stringify(args.input);
        return live(nameOf(context.commandName ?? '', text), async () => {
          const answer = await next(args);
          if (/^(Put|Update)/.test(context.commandName ?? '') && text.includes(messagesTable)) {
            await noteChange(/msg_[0-9A-Z]{26}/.exec(text)?.[0] ?? '');
          }
          if (text.includes('acknowledged')) posting.delete(/whd_[0-9A-Z]{26}/.exec(text)?.[0] ?? '');
          return answer;
        });
      },
      { step: 'initialize', priority: 'high', name: 'life' },
    );
    const sqs = new SQSClient({ ...clientConfig(), maxAttempts: 3 });
    sqs.middlewareStack.add(
      (next, context) => (args) =>
        live(nameOf(context.commandName ?? '', JSON.stringify(args.input)), () => next(args)),
      { step: 'initialize', priority: 'high', name: 'life' },
    );
    clients.push(client, sqs);
    return {
      dynamo: documentClient(client),
      sqs,
      post: (request) =>
        live('POST', () => {
          posting.add(request.headers['webhook-id'] ?? '');
          return post(request);
        }),
      run: async (work) => Promise.race([work(), death]),
    };
  }

  return {
    calls,
    stream,
    get killedIn() {
      return killedIn;
    },
    get unknownPosts() {
      return unknownPosts;
    },
    newProcess,
    async store(messageId, write) {
      await write(documentClient(plain));
      await noteChange(messageId);
    },
    close() {
      for (const client of clients) client.destroy();
    },
  };
}

type StreamImage = Record<string, unknown> | undefined;

/** Distinguishes writes by the state that they enter or keep, and queue messages by their queue. */
function nameOf(command: string, input: string): string {
  const state = /":to":(?:\{"S":)?"(\w+)"|"state":(?:\{"S":)?"(\w+)"/.exec(input);
  const name = command.replace(/Command$/, '');
  const claim = input.includes('handover_attempts') ? 'sending' : undefined;
  const entered = claim ?? state?.[1] ?? state?.[2];
  const table = input.includes('handed_over')
    ? 'outbox'
    : /"list":"(?:messages|deliveries)#/.test(input)
      ? 'due-items'
      : undefined;
  const queue = /"QueueUrl":"[^"]*-(outbound|receipts|webhooks)"/.exec(input)?.[1];
  return [name, entered ?? table ?? queue].filter(Boolean).join(' ');
}
