/** What one message cannot do to the others: whatever a service refuses of it, theirs go through. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { sqsOutboundQueue } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { lastChangeOf, type Message } from '../../../shared/message/message.ts';
import { messageRowOf } from '../../../shared/message/store/message-store.ts';
import { type RefusedWork, setAsideTo } from '../../../shared/recovery/set-aside.sqs.ts';
import { type RelayDependencies, readChanges, relay } from '../../../shared/relay/relay.ts';
import { sqsDeliveryQueue, webhookQueueMessageSchema } from '../../../shared/webhook/delivery-queue.sqs.ts';
import { inMemoryStores } from '../../support/engine/stores.ts';
import { refusal, strictSqs } from '../../support/engine/strict-sqs.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const id = (index: number) => `msg_01KAG0000000000000000000${String(index).padStart(2, '0')}`;
const messages = Array.from({ length: 40 }, (_, index) =>
  aMessage({ message_id: id(index), status: 'queued' }),
);
const bad = id(17);

function simulation(
  change: Partial<RelayDependencies> = {},
  refuses: (body: string) => boolean = () => false,
) {
  const queued = new Map<string, Set<string>>([
    ['outbound', new Set()],
    ['first', new Set()],
  ]);
  const refused: RefusedWork[] = [];
  const { dueItemIndex } = inMemoryStores();
  const sqs = strictSqs({
    refuses,
    refusesCall: () => true,
    deliver: (queue, { MessageBody = '' }) => {
      const body = JSON.parse(MessageBody) as Partial<
        Record<'delivery' | 'fan_out', { message_id: string }> & { message_id: string }
      >;
      const { message_id } = body.delivery ?? body.fan_out ?? body;
      queued.get(queue)?.add(message_id ?? '');
    },
  });
  const dependencies: RelayDependencies = {
    outbound: sqsOutboundQueue(sqs, { otp: 'otp', single: 'outbound', bulk: 'bulk' }),
    webhooks: {
      dueItemIndex,
      queue: sqsDeliveryQueue(sqs, { first: 'first', retries: 'first' }),
      slowEndpoints: inMemoryStores().slowEndpoints,
      clock: () => created,
      newRevision: () => 'r',
      retentionDays: 30,
    },
    accountUrlOf: async () => undefined,
    endpointsOf: async () => [],
    setAside: async (work) => void refused.push(work),
    warn: () => {},
    clock: () => created,
    ...change,
  };
  return { dependencies, queued, refused, dueItemIndex };
}

const stored = (all: readonly Message[]) => all.map((after) => ({ before: undefined, after }));
const others = messages.map(({ message_id }) => message_id).filter((messageId) => messageId !== bad);

describe('a change that a service refuses for good', () => {
  const refusing: readonly [string, readonly Message[], Parameters<typeof simulation>][] = [
    ['the outbound queue', messages, [{}, (body) => body.includes(bad)]],
    [
      'the table of the account',
      messages.map(({ webhook_url: _url, ...message }) => ({
        ...message,
        status: 'sent' as const,
        sent_at: created.toISOString(),
        client_id: message.message_id,
      })),
      [
        {
          accountUrlOf: async (clientId) => {
            if (clientId === bad) throw refusal('ValidationException');
            return 'https://example.com/hook';
          },
        },
      ],
    ],
  ];

  it.each(refusing)('by %s is set aside alone, and all the others are passed on', async (_by, all, of) => {
    const { dependencies, queued, refused } = simulation(...of);
    await relay(dependencies, stored(all));
    expect(refused.map(({ messageId }) => messageId)).toEqual([bad]);
    const passedOn = new Set([...(queued.get('outbound') ?? []), ...(queued.get('first') ?? [])]);
    expect([...passedOn].toSorted()).toEqual(others.toSorted());
  });

  it('is not set aside while something else of it may still succeed', async () => {
    const { dependencies, refused } = simulation({}, (body) => body.includes(bad));
    const webhooks = {
      ...dependencies.webhooks,
      dueItemIndex: {
        ...dependencies.webhooks.dueItemIndex,
        add: () => Promise.reject(refusal('Throttling')),
      },
    };
    await expect(relay({ ...dependencies, webhooks }, stored(messages))).rejects.toMatchObject({
      name: 'Throttling',
    });
    expect(refused).toEqual([]);
  });

  it('of a webhook whose text is any that a client may write is none', async () => {
    const odd = '\uFFFF\uFFFE\u{1FFFF}';
    const { dependencies, queued, refused } = simulation();
    const sent = messages.map((message) => ({
      ...message,
      status: 'sent' as const,
      sent_at: created.toISOString(),
      reference: odd,
      webhook_url: `https://example.com/hook?${odd}`,
    }));
    await relay(dependencies, stored(sent));
    expect(refused).toEqual([]);
    expect(queued.get('first')?.size).toBe(messages.length);
  });
});

it('a client whose destinations cannot be read delays no other: its event is left to the sweep', async () => {
  const { dependencies, queued, dueItemIndex } = simulation({
    async endpointsOf(clientId) {
      if (clientId === bad) throw refusal('Throttling');
      return [];
    },
  });
  const sent = messages.map((message) => ({
    ...{ ...message, client_id: message.message_id, status: 'sent' as const },
    sent_at: created.toISOString(),
  }));
  await relay(dependencies, stored(sent));
  expect([...(queued.get('first') ?? [])].toSorted()).toEqual(others.toSorted());
  const left = dueItemIndex.all().filter(({ list }) => list.startsWith('fan-outs'));
  expect(left.flatMap(({ ids }) => ids)).toEqual([`${bad}#sms.sent`]);
});

it('a leg that is due later than a queue can delay waits in the due-item index', async () => {
  const { dependencies, queued, dueItemIndex } = simulation();
  const fallback: Message['fallback'] = [{ channel: 'sms', after_seconds: 2000, text: 'Hello' }];
  await relay(dependencies, stored([aMessage({ message_id: id(1), fallback })]));
  expect([...(queued.get('outbound') ?? [])]).toEqual([id(1)]);
  const waiting = dueItemIndex.all().filter(({ list }) => list.startsWith('scheduled'));
  expect(waiting.flatMap(({ ids }) => ids)).toEqual([id(1)]);
});

describe('an event with several destinations', () => {
  const sent = messages.map((message) => ({
    ...message,
    status: 'sent' as const,
    sent_at: created.toISOString(),
  }));
  const endpoints = (count: number) =>
    Array.from({ length: count }, (_, index) => anEndpoint({ endpoint_id: `whe_${index}` }));

  it.each([1, 10])('is one queue message and one due item beside %d endpoints', async (count) => {
    const bodies: string[] = [];
    const { dependencies, dueItemIndex } = simulation(
      { endpointsOf: async () => endpoints(count) },
      (body) => {
        bodies.push(body);
        return false;
      },
    );
    await relay(dependencies, stored(sent));
    expect(bodies).toHaveLength(messages.length);
    const [first] = bodies.map((body) => webhookQueueMessageSchema.parse(JSON.parse(body)));
    expect(first).toMatchObject({ fan_out: { message_id: id(0), event: 'sms.sent' } });
    if (first === undefined || !('fan_out' in first)) throw new Error('no fan-out');
    expect(first.fan_out.destinations).toHaveLength(count + 1);
    const due = dueItemIndex.all().filter(({ list }) => list.startsWith('fan-outs'));
    expect(due.flatMap(({ ids }) => ids).toSorted()).toEqual(
      messages.map(({ message_id }) => `${message_id}#sms.sent`).toSorted(),
    );
    expect(dueItemIndex.all().filter(({ list }) => list.startsWith('deliveries'))).toEqual([]);
  });

  it('that its queue refuses is refused at the one destination at fault', async () => {
    const { dependencies, refused, queued } = simulation(
      { endpointsOf: async () => endpoints(2) },
      (body) => body.includes('refused') && body.includes(bad),
    );
    const withOneRefused = sent.map((message) =>
      message.message_id === bad ? { ...message, webhook_url: 'https://example.com/refused' } : message,
    );
    await relay(dependencies, stored(withOneRefused));
    expect(refused.map(({ messageId }) => messageId)).toEqual([bad]);
    expect(queued.get('first')?.size).toBe(messages.length);
  });
});

describe('what is set aside', () => {
  it('delays nothing where the Activity Log is throttled: its copy is kept, and it is counted', async () => {
    const copies: unknown[] = [];
    const reported: unknown[] = [];
    const warnings: unknown[] = [];
    const setAside = setAsideTo({
      activityLog: {
        ...inMemoryStores().activityLog,
        db: { send: () => Promise.reject(refusal('ProvisionedThroughputExceededException')) } as never,
      },
      keepCopy: async (copy) => void copies.push(copy),
      warn: (_message, error) => void warnings.push(error),
      reportRefused: (fields) => void reported.push(fields),
    });
    const { dependencies, queued } = simulation({ setAside }, (body) => body.includes(bad));
    await relay(dependencies, stored(messages));
    expect([...(queued.get('outbound') ?? [])].toSorted()).toEqual(others.toSorted());
    expect([copies.length, reported.length, warnings.length]).toEqual([1, 1, 1]);
  });

  it('is counted, copied, and one entry of the Activity Log however often it is repeated', async () => {
    const { activityLog, tables } = inMemoryStores();
    const copies: unknown[] = [];
    let alarms = 0;
    const setAside = setAsideTo({
      activityLog,
      keepCopy: async (copy) => void copies.push(copy),
      warn: () => {},
      reportRefused: () => {
        alarms += 1;
      },
    });
    const [message = aMessage({})] = messages;
    const work = {
      summary: 'refused',
      clientId: message.client_id,
      messageId: message.message_id,
      since: lastChangeOf(message),
      error: refusal('InvalidMessageContents'),
    };
    await setAside(work);
    await setAside(work);
    expect(tables.rows('activity_log')).toMatchObject([
      { kind: expect.stringContaining('entry_refused'), message_id: message.message_id },
    ]);
    expect(copies[0]).toMatchObject({ message_id: message.message_id, client_id: message.client_id });
    expect(alarms).toBe(2);
  });
});

it('a message is parsed from a stream image as it was stored, and an image that is no message is set aside', () => {
  const message = aMessage({ reference: 'order 1 \u{1f600}', webhook_url: 'https://shop.test/hook?a=b' });
  const image = marshall(messageRowOf(message, 1));
  const { recipient: _recipient, ...incomplete } = image;
  const records = [
    { eventID: 'changed', dynamodb: { OldImage: { ...image, status: { S: 'sending' } }, NewImage: image } },
    { eventID: 'removed', dynamodb: { OldImage: image } },
    { eventID: 'incomplete', dynamodb: { NewImage: incomplete } },
  ];
  expect(readChanges(records)).toEqual({
    changes: [{ before: { ...message, status: 'sending' }, after: message }],
    unreadable: [records[2]],
  });
});
