/** What one message cannot do to the others: whatever a service refuses of it, theirs go through. */
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { Message } from '../../../shared/message/message.ts';
import { messageRowOf } from '../../../shared/message/store/message-row.ts';
import { createMessage } from '../../../shared/message/store/messages.dynamo.ts';
import { rowIn, type StreamRecord } from '../../../shared/platform/aws/stream-record.dynamo.ts';
import { epochSeconds } from '../../../shared/platform/clock.ts';
import { type RelayContext, relay, relayAgain } from '../../../shared/relay/relay.ts';
import { storeEndpoint } from '../../../shared/webhook/endpoint-store.dynamo.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { refusal, strictSqs } from '../../support/engine/strict-sqs.ts';
import { outboundSqs, testContext, withCalls } from '../../support/engine/test-context.ts';
import { aMessage, aSentMessage, created } from '../../support/message/example-message.ts';
import { anEndpoint } from '../../support/webhook/example-webhook-endpoint.ts';

const id = (index: number) => `msg_01KAG0000000000000000000${String(index).padStart(2, '0')}`;
const messages = Array.from({ length: 40 }, (_, index) =>
  aMessage({ message_id: id(index), status: 'queued' }),
);
const bad = id(17);
const outbound = 'https://sqs.example.com/outbound';
const first = 'https://sqs.example.com/webhooks';
const secret = { secret: 'whsec_c2VjcmV0', created_at: created.toISOString() };

function simulation(change: Partial<RelayContext> = {}, refuses: (body: string) => boolean = () => false) {
  const queued = new Map<string, Set<string>>([
    [outbound, new Set()],
    [first, new Set()],
  ]);
  const setAside: StreamRecord[] = [];
  const tables = inMemoryTables();
  const sqs = strictSqs({
    refuses,
    refusesCall: () => true,
    deliver: (queue, { MessageBody = '' }) => {
      const { message_id, delivery_id } = JSON.parse(MessageBody) as Record<string, string>;
      queued.get(queue)?.add(message_id ?? delivery_id ?? '');
    },
    deliverAlone: (body) => void setAside.push(JSON.parse(body)),
  });
  const context: RelayContext = {
    ...testContext(tables, { clock: () => created, sqs: () => sqs }),
    accountUrlOf: async () => undefined,
    ...change,
  };
  const asideIds = () => setAside.map(({ dynamodb }) => rowIn(dynamodb?.NewImage)?.message_id);
  /** The ids of the messages whose webhooks are stored and queued. */
  const posted = () =>
    tables
      .rows('webhook_deliveries')
      .flatMap(({ delivery_id, message_id }) =>
        queued.get(first)?.has(String(delivery_id)) ? [String(message_id)] : [],
      );
  return { context, queued, setAside, asideIds, tables, posted };
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
    const { context, queued, asideIds, posted } = simulation(...of);
    await relay(context, stored(all));
    expect(asideIds()).toEqual([bad]);
    const passedOn = new Set([...(queued.get(outbound) ?? []), ...posted()]);
    expect([...passedOn].toSorted()).toEqual(others.toSorted());
  });

  it.each([
    ['younger', 60],
    ['older', 61],
  ])('for a reason that may pass, and %s than a minute', async (age, seconds) => {
    const accountUrlOf = async () => 'https://example.com/hook';
    const { context, posted, asideIds } = simulation({ accountUrlOf });
    const throttled = withCalls(context, ({ operation, input }, run) => {
      const { message_id } = (input.Item ?? {}) as { readonly message_id?: string };
      if (operation === 'Put' && message_id === bad) throw refusal('Throttling');
      return run();
    });
    const sent = messages.map((message) => ({
      ...message,
      status: 'sent' as const,
      sent_at: created.toISOString(),
    }));
    const relaying = relay(throttled, stored(sent, seconds));
    if (age === 'younger') await expect(relaying).rejects.toMatchObject({ name: 'Throttling' });
    else expect(await relaying).toMatchObject({ set_aside: 1 });
    expect(asideIds()).toEqual(age === 'younger' ? [] : [bad]);
    if (age === 'older') expect(posted().toSorted()).toEqual(others.toSorted());
  });

  it('of a webhook whose text is any that a client may write is none', async () => {
    const odd = '\uFFFF\uFFFE\u{1FFFF}';
    const { context, queued, setAside } = simulation();
    const sent = messages.map((message) => ({
      ...message,
      status: 'sent' as const,
      sent_at: created.toISOString(),
      reference: odd,
      webhook_url: `https://example.com/hook?${odd}`,
    }));
    await relay(context, stored(sent));
    expect(setAside).toEqual([]);
    expect(queued.get(first)?.size).toBe(messages.length);
  });
});

it.each([1, 10])(
  'an event with %d destinations is as many rows and ids in the queue, however often',
  async (count) => {
    const { context, queued, posted, tables } = simulation();
    for (let index = 0; index < count; index += 1)
      await storeEndpoint(context as never, anEndpoint({ endpoint_id: `whe_${index}` }), secret);
    const { webhook_url: _url, ...message } = aSentMessage();
    await relay(context, stored([message]));
    await relay(context, stored([message]));
    expect(posted()).toHaveLength(count);
    expect(queued.get(first)?.size).toBe(count);
    const due = tables.rows('webhook_deliveries').filter(({ due_at }) => due_at !== undefined);
    expect(new Set(due.map(({ delivery_id }) => delivery_id))).toEqual(queued.get(first));
  },
);

it('an event whose destinations cannot be read is relayed again, and set aside alone after a minute', async () => {
  const { context: reading, asideIds, posted } = simulation();
  const context = withCalls(reading, ({ operation, input }, run) => {
    if (operation === 'Query' && input.ExpressionAttributeValues?.[':client'] === bad)
      throw refusal('Throttling');
    return run();
  });
  const sent = messages.map((message) => ({
    ...{ ...message, client_id: message.message_id, status: 'sent' as const },
    sent_at: created.toISOString(),
  }));
  await expect(relay(context, stored(sent))).rejects.toMatchObject({ name: 'Throttling' });
  expect(asideIds()).toEqual([]);
  await relay(context, stored(sent, 61));
  expect(asideIds()).toEqual([bad]);
  expect(posted().toSorted()).toEqual(others.toSorted());
});

it('a leg that is due later than a queue can delay is left to the due index', async () => {
  const queued: string[] = [];
  const { context } = simulation();
  const sqs = outboundSqs(({ messageId, delaySeconds }) => queued.push(`${messageId} ${delaySeconds}`));
  for (const [index, after_seconds] of [900, 901].entries()) {
    const fallback: Message['fallback'] = [{ channel: 'sms', after_seconds, text: 'Hello' }];
    await relay({ ...context, sqs }, stored([aMessage({ message_id: id(index), fallback })]));
  }
  expect(queued).toEqual([`${id(0)} 0`, `${id(0)} 900`, `${id(1)} 0`]);
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
  const { context, setAside } = simulation();
  expect(await relay(context, records)).toMatchObject({ set_aside: 1 });
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
    const { context, queued, setAside } = simulation({}, () => isRefused);
    expect(await relayAgain(context, [queuedRecord(record)])).toEqual(kept);
    isRefused = false;
    expect(await relayAgain(context, [queuedRecord(record)])).toEqual(done);
    expect([...(queued.get(outbound) ?? [])]).toEqual([message.message_id]);
    expect(setAside).toEqual([]);
  });

  it('by the row of now, if its image is no message and an administrator corrected the row', async () => {
    const { context, queued } = simulation();
    const broken = { ...record?.dynamodb, NewImage: { message_id: { S: message.message_id } } };
    expect(await relayAgain(context, [queuedRecord({ dynamodb: broken })])).toEqual(done);
    await createMessage(context, message);
    expect(await relayAgain(context, [queuedRecord({ dynamodb: broken })])).toEqual(done);
    expect([...(queued.get(outbound) ?? [])]).toEqual([message.message_id]);
  });

  it('and other work stays for an operator', async () => {
    const { context } = simulation();
    expect(await relayAgain(context, [queuedRecord({ refused: 'a webhook' })])).toEqual(kept);
  });
});
