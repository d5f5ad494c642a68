/** What one message cannot do to the others: whatever a service refuses of it, theirs go through. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { type OutboundEntry, sqsOutboundQueue } from '../../../shared/message/dispatch/outbound-queue.sqs.ts';
import { lastChangeOf, type Message } from '../../../shared/message/message.ts';
import { messageRowOf } from '../../../shared/message/store/message-store.ts';
import { rowIn, type StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { epochSeconds } from '../../../shared/platform/clock.ts';
import { setAsideTo } from '../../../shared/recovery/set-aside.sqs.ts';
import { type RelayDependencies, relay, relayAgain } from '../../../shared/relay/relay.ts';
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
  const setAside: StreamRecord[] = [];
  const { dueItemIndex, messages: rows } = inMemoryStores();
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
  const dependencies = {
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
    messages: rows,
    setAside: async (record: StreamRecord) => void setAside.push(record),
    warn: () => {},
    clock: () => created,
    ...change,
  };
  const asideIds = () => setAside.map(({ dynamodb }) => rowIn(dynamodb?.NewImage)?.message_id);
  return { dependencies, queued, setAside, asideIds, dueItemIndex };
}

const stored = (all: readonly Message[], ageSeconds = 0): StreamRecord[] =>
  all.map((after, index) => ({
    eventID: `record-${index}`,
    dynamodb: {
      Keys: { message_id: { S: after.message_id } },
      ApproximateCreationDateTime: epochSeconds(created) - ageSeconds,
      NewImage: marshall(messageRowOf(after, 1)),
    },
  }));
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
    const { dependencies, queued, asideIds } = simulation(...of);
    await relay(dependencies, stored(all));
    expect(asideIds()).toEqual([bad]);
    const passedOn = new Set([...(queued.get('outbound') ?? []), ...(queued.get('first') ?? [])]);
    expect([...passedOn].toSorted()).toEqual(others.toSorted());
  });

  it.each([
    ['younger', 60],
    ['older', 61],
  ])('for a reason that may pass, and %s than a minute', async (age, seconds) => {
    const accountUrlOf = async () => 'https://example.com/hook';
    const { dependencies, queued, asideIds } = simulation({ accountUrlOf });
    const { dueItemIndex } = dependencies.webhooks;
    const add: typeof dueItemIndex.add = async (list, items) => {
      if (items.some(({ id: itemId }) => itemId.startsWith(bad))) throw refusal('Throttling');
      return dueItemIndex.add(list, items);
    };
    const webhooks = { ...dependencies.webhooks, dueItemIndex: { ...dueItemIndex, add } };
    const sent = messages.map((message) => ({
      ...message,
      status: 'sent' as const,
      sent_at: created.toISOString(),
    }));
    const relaying = relay({ ...dependencies, webhooks }, stored(sent, seconds));
    if (age === 'younger') await expect(relaying).rejects.toMatchObject({ name: 'Throttling' });
    else expect(await relaying).toMatchObject({ set_aside: 1 });
    expect(asideIds()).toEqual(age === 'younger' ? [] : [bad]);
    if (age === 'older') expect([...(queued.get('first') ?? [])].toSorted()).toEqual(others.toSorted());
  });

  it('of a webhook whose text is any that a client may write is none', async () => {
    const odd = '\uFFFF\uFFFE\u{1FFFF}';
    const { dependencies, queued, setAside } = simulation();
    const sent = messages.map((message) => ({
      ...message,
      status: 'sent' as const,
      sent_at: created.toISOString(),
      reference: odd,
      webhook_url: `https://example.com/hook?${odd}`,
    }));
    await relay(dependencies, stored(sent));
    expect(setAside).toEqual([]);
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

it('a leg that is due later than a queue can delay is left to the due index', async () => {
  const queued: string[] = [];
  const { dependencies } = simulation();
  const outbound = {
    enqueue: async (entries: readonly OutboundEntry[]) =>
      void queued.push(...entries.map(({ messageId, delaySeconds }) => `${messageId} ${delaySeconds}`)),
  };
  for (const [index, after_seconds] of [900, 901].entries()) {
    const fallback: Message['fallback'] = [{ channel: 'sms', after_seconds, text: 'Hello' }];
    await relay({ ...dependencies, outbound }, stored([aMessage({ message_id: id(index), fallback })]));
  }
  expect(queued).toEqual([`${id(0)} 0`, `${id(0)} 900`, `${id(1)} 0`]);
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
    const { dependencies, asideIds, queued } = simulation(
      { endpointsOf: async () => endpoints(2) },
      (body) => body.includes('refused') && body.includes(bad),
    );
    const withOneRefused = sent.map((message) =>
      message.message_id === bad ? { ...message, webhook_url: 'https://example.com/refused' } : message,
    );
    await relay(dependencies, stored(withOneRefused));
    expect(asideIds()).toEqual([bad]);
    expect(queued.get('first')?.size).toBe(messages.length);
  });
});

describe('what is set aside', () => {
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

it('an image that is no message is set aside, and a removal starts nothing', async () => {
  const message = aMessage({ reference: 'order 1 \u{1f600}', webhook_url: 'https://shop.test/hook?a=b' });
  const image = marshall(messageRowOf(message, 1));
  const { recipient: _recipient, ...incomplete } = image;
  const records = [
    { eventID: 'changed', dynamodb: { OldImage: { ...image, status: { S: 'sending' } }, NewImage: image } },
    { eventID: 'removed', dynamodb: { OldImage: image } },
    { eventID: 'incomplete', dynamodb: { NewImage: incomplete } },
  ];
  const { dependencies, setAside } = simulation();
  expect(await relay(dependencies, records)).toMatchObject({ set_aside: 1 });
  expect(setAside).toEqual([records[2]]);
});

describe('what was set aside is relayed again', () => {
  const queuedRecord = (body: unknown, messageId = 'sqs-1') => ({
    ...{ messageId, receiptHandle: 'r', body: JSON.stringify(body) },
    attributes: { ApproximateReceiveCount: '1' },
  });
  const [message = aMessage({})] = messages;
  const [record] = stored([message]);
  const kept = { batchItemFailures: [{ itemIdentifier: 'sqs-1' }] };
  const done = { batchItemFailures: [] };

  it('until it succeeds', async () => {
    let isRefused = true;
    const { dependencies, queued, setAside } = simulation({}, () => isRefused);
    expect(await relayAgain(dependencies, [queuedRecord(record)])).toEqual(kept);
    isRefused = false;
    expect(await relayAgain(dependencies, [queuedRecord(record)])).toEqual(done);
    expect([...(queued.get('outbound') ?? [])]).toEqual([message.message_id]);
    expect(setAside).toEqual([]);
  });

  it('by the row of now, if its image is no message and an administrator corrected the row', async () => {
    const { dependencies, queued } = simulation();
    const broken = { ...record?.dynamodb, NewImage: { message_id: { S: message.message_id } } };
    expect(await relayAgain(dependencies, [queuedRecord({ dynamodb: broken })])).toEqual(done);
    await dependencies.messages.create(message);
    expect(await relayAgain(dependencies, [queuedRecord({ dynamodb: broken })])).toEqual(done);
    expect([...(queued.get('outbound') ?? [])]).toEqual([message.message_id]);
  });

  it('and other work stays for an operator', async () => {
    const { dependencies } = simulation();
    expect(await relayAgain(dependencies, [queuedRecord({ refused: 'a webhook' })])).toEqual(kept);
  });
});
