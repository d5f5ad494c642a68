import { convertToNative } from '@aws-sdk/util-dynamodb';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Channel } from '../../../shared/contract/channels.ts';
import type { EditedRow } from '../../../shared/edited-table/row-editor.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { numberOwners } from '../../../shared/sender/number-owners.ts';
import { type Addressed, selectSender, sendersOf } from '../../../shared/sender/select-sender.ts';
import { parseSenderRow } from '../../../shared/sender/sender-row.ts';
import { runs } from '../../fuzz/runs.ts';
import { oneCarrierEach } from '../../support/doubles/no-senders.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { writeRows } from '../../support/engine/write-rows.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const stage = { ...oneCarrierEach, sms: 'stage-pool' };
const clients = ['client_1', 'client_2'];
const countries = ['GB', 'IN', 'US'];

/** A row, and what a person would say of it: whether it is right, and what it names. */
interface Told {
  readonly client: string;
  readonly channel: 'sms' | 'whatsapp';
  readonly country: string;
  readonly isRight: boolean;
  readonly isName: boolean;
  readonly identity: string;
  readonly pace: number | undefined;
}

type Key = Pick<Told, 'client' | 'channel' | 'country'>;

/** Half of all rows that there can be, most of them right: so that several apply to a message. */
const table: fc.Arbitrary<Told[]> = fc
  .tuple(
    ...['*', ...clients].flatMap((client) =>
      (['sms', 'whatsapp'] as const).flatMap((channel) =>
        ['*', ...countries].map((country) =>
          fc.option(told({ client, channel, country }), { freq: 2, nil: undefined }),
        ),
      ),
    ),
  )
  .map((rows) => rows.filter((row) => row !== undefined));

function told(key: Key): fc.Arbitrary<Told> {
  return fc
    .record({
      isRight: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
      isName: fc.boolean(),
      number: fc.integer({ min: 0, max: 3 }),
      pace: fc.option(fc.constantFrom(0.5, 3, 50), { nil: undefined }),
    })
    .map(({ number, ...row }) => {
      const name = row.isName ? `ACME${number}` : `+44770090000${number}`;
      return { ...key, ...row, identity: key.channel === 'sms' ? name : `phone-number-id-${number}` };
    });
}

function rowOf({ client, channel, country, isRight, identity, pace }: Told): EditedRow {
  return {
    client_id: client,
    destination: `${channel} ${country}`,
    identity,
    ...(pace === undefined ? {} : { messages_per_second: pace }),
    ...(isRight ? {} : { messages_per_second: 'fast' }),
    ...(country === 'IN' ? { entity_id: '1101', template_id: '1107' } : {}),
  };
}

/** A name for the country US itself is a mistake of the row. */
function isValid({ isRight, channel, isName, country }: Told): boolean {
  return isRight && !(channel === 'sms' && isName && country === 'US');
}

/** The lowest pace of the rows that have the identity, of whatever country. */
function paceOf(rows: readonly Told[], client: string, channel: Channel, identity: string) {
  const paces = rows
    .filter((row) => [client, '*'].includes(row.client) && row.channel === channel)
    .filter((row) => row.identity === identity && isValid(row))
    .flatMap(({ pace }) => pace ?? []);
  return paces.length === 0 ? undefined : Math.min(...paces);
}

/** The rule as the contract has it, by looking for one row after the other. */
function expected(rows: readonly Told[], client: string, { channel, country = '', from }: Addressed) {
  const order = [
    [client, country],
    [client, '*'],
    ['*', country],
    ['*', '*'],
  ];
  const found = order
    .map(([whose, where]) =>
      rows.find((row) => row.client === whose && row.country === where && row.channel === channel),
    )
    .filter((row) => row !== undefined)
    .filter(isValid);
  if (from !== undefined) return { identity: from, pace: paceOf(rows, client, channel, from) };
  const first = found.find((row) => !(channel === 'sms' && row.isName && country === 'US'));
  if (first !== undefined)
    return { identity: first.identity, pace: paceOf(rows, client, channel, first.identity) };
  return channel === 'sms' ? { identity: stage.sms, pace: undefined } : undefined;
}

describe('the sender of a message', () => {
  it('is that of the most specific valid row, client before country, and else that of the stage', () => {
    const addressed = fc.record({
      channel: fc.constantFrom('sms' as const, 'whatsapp' as const),
      country: fc.constantFrom(...countries, 'FR', undefined),
      from: fc.option(fc.constantFrom('ACME0', 'ACME1', '+447700900002'), { freq: 2, nil: undefined }),
    });
    fc.assert(
      fc.property(table, fc.constantFrom(...clients), addressed, (all, client, to) => {
        const read = all.filter((row) => row.client === client || row.client === '*');
        const selected = selectSender(
          read.map((row) => parseSenderRow(rowOf(row))),
          to,
          stage,
        );
        const wanted = expected(all, client, to);
        expect(selected.sender?.identity).toBe(wanted?.identity);
        expect(selected.sender?.messages_per_second).toBe(wanted?.pace);
      }),
      runs,
    );
  });

  it.each([
    ['IN', { entity_id: '1101', template_id: '1107' }],
    ['GB', {}],
  ])('has the ids of India only for messages there: %s', (country, ids) => {
    const row = parseSenderRow({
      client_id: '*',
      destination: 'sms *',
      identity: 'ACMEIN',
      entity_id: '1101',
      template_id: '1107',
    });
    expect(selectSender([row], { channel: 'sms', country }, stage)).toEqual({
      sender: { identity: 'ACMEIN', ...ids, carrier: 'aws' },
    });
    expect(selectSender([row], { channel: 'sms', country, from: 'ACMEIN' }, stage)).toEqual({
      sender: { identity: 'ACMEIN', ...ids, carrier: 'aws' },
    });
  });
});

it('a sender that is named in another case has the spelling and the pace of its row', () => {
  const row = parseSenderRow({
    client_id: 'client_1',
    destination: 'sms *',
    identity: 'ACME',
    messages_per_second: 5,
  });
  expect(selectSender([row], { channel: 'sms', country: 'GB', from: 'acme' }, stage)).toEqual({
    sender: { identity: 'ACME', messages_per_second: 5, carrier: 'aws' },
  });
});

describe('at each carrier', () => {
  const at = { channel: 'sms', country: 'GB' } as const;
  const carriers = { sms: 'stage-pool', carriers: { sms: ['aws', 'twilio', 'infobip'], whatsapp: ['aws'] } };
  const rowAt = (destination: string, identity: string, client_id = '*') =>
    parseSenderRow({ client_id, destination, identity });
  const rows = [
    rowAt('sms GB', 'FIRST'),
    rowAt('sms GB twilio', '+447700900001'),
    rowAt('sms * twilio', '+447700900002', 'client_1'),
    rowAt('sms FR infobip', '+447700900003'),
  ];

  it('the sender is of a row of that carrier, and a row that names none is of the first', () => {
    expect(selectSender(rows, at, carriers)).toEqual({
      sender: { identity: 'FIRST', carrier: 'aws' },
      senders: { twilio: { identity: '+447700900002' } },
    });
    expect(selectSender([rowAt('sms GB aws', 'NAMED'), ...rows], at, carriers).sender?.identity).toBe(
      'NAMED',
    );
    expect(selectSender(rows.slice(1), at, carriers).sender).toEqual({
      identity: 'stage-pool',
      carrier: 'aws',
    });
  });

  it('a sender that the request names has the values of the rows of that carrier', () => {
    expect(selectSender(rows, { ...at, from: '+447700900001' }, carriers)).toEqual({
      sender: { identity: '+447700900001', carrier: 'aws' },
      senders: { twilio: { identity: '+447700900001' } },
    });
  });

  it('a sender that the request names has its pace, also where that carrier has no row for it', () => {
    const paced = { client_id: '*', destination: 'sms FR', identity: 'ACME', messages_per_second: 2 };
    expect(selectSender([...rows, parseSenderRow(paced)], { ...at, from: 'ACME' }, carriers)).toEqual({
      sender: { identity: 'ACME', messages_per_second: 2, carrier: 'aws' },
      senders: {
        twilio: { identity: 'ACME', messages_per_second: 2 },
        infobip: { identity: 'ACME', messages_per_second: 2 },
      },
    });
  });
});

describe('the rows', () => {
  /** A process, and the rows that it reads. */
  async function aProcess(rows: readonly EditedRow[], clock = () => now) {
    const reads: string[] = [];
    const reported: unknown[] = [];
    const tables = inMemoryTables({
      around: ({ operation, input }, run) => {
        const { ':client_id': clientId } = Object(input.ExpressionAttributeValues);
        if (operation === 'Query') reads.push(String(convertToNative(clientId)));
        if (operation === 'Scan') reads.push('all');
        return run();
      },
    });
    const enter = (more: readonly EditedRow[]) => writeRows(tables.dynamo, tables.names.senders, more);
    await enter(rows);
    const log = {
      info: () => {},
      warn: (_: string, fields?: object) => reported.push(fields),
      error: () => {},
    };
    const env = { STAGE_SMS_SENDER: 'stage-pool', SMS_CARRIER: 'aws', WHATSAPP_CARRIER: 'aws' };
    const context = testContext(tables, { clock, log, env });
    return { reads, reported, enter, sendersOf: (clientId: string) => sendersOf(context, clientId) };
  }

  it('are read once in 45 s for each client, and an edit is in force within 60 s', async () => {
    let at = now;
    const rows = [{ client_id: 'client_1', destination: 'sms *', identity: 'FIRST' }];
    const { reads, enter, sendersOf } = await aProcess(rows, () => at);
    const identity = async () =>
      (await sendersOf('client_1')).select({ channel: 'sms', country: 'GB' }).sender?.identity;
    expect(await identity()).toBe('FIRST');
    expect(await identity()).toBe('FIRST');
    expect((await sendersOf('client_2')).isOfOthers('First')).toBe(true);
    expect(reads).toEqual(['client_1', 'all', 'client_2']);
    // A client that was not seen yet has its rows at once.
    await enter([{ client_id: 'client_3', destination: 'sms *', identity: 'first' }]);
    expect((await sendersOf('client_3')).isOfOthers('FIRST')).toBe(false);
    await enter(
      ['client_1', 'client_3'].map((client_id) => ({ client_id, destination: 'sms *', identity: 'SECOND' })),
    );
    at = addSeconds(now, 60);
    expect(await identity()).toBe('SECOND');
    expect((await sendersOf('client_2')).isOfOthers('First')).toBe(false);
  });

  it('of other clients say what the pace of a sender is, too', async () => {
    const { sendersOf } = await aProcess([
      { client_id: '*', destination: 'sms *', identity: 'ACME', messages_per_second: 3 },
      { client_id: 'client_2', destination: 'sms GB', identity: 'Acme', messages_per_second: 2 },
      { client_id: 'client_2', destination: 'sms FR', identity: 'ACME', messages_per_second: -1 },
    ]);
    const { select } = await sendersOf('client_1');
    expect(select({ channel: 'sms', country: 'DE' }).sender).toMatchObject({ messages_per_second: 2 });
  });

  it('that are not valid are reported to the operator, and the next in order is used', async () => {
    const { reported, sendersOf } = await aProcess([
      { client_id: 'client_1', destination: 'sms GB', identity: 'much too long a name' },
      { client_id: '*', destination: 'sms GB', identity: 'ACME' },
      { client_id: 'client_2', destination: 'sms GB', identity: 'another name of another client' },
    ]);
    const { select } = await sendersOf('client_1');
    expect(select({ channel: 'sms', country: 'GB' })).toEqual({
      sender: { identity: 'ACME', carrier: 'aws' },
    });
    expect(reported).toMatchObject([{ client_id: 'client_1', destination: 'sms GB', attribute: 'identity' }]);
    expect(reported).toHaveLength(1);
  });
});

describe('the owner of a number', () => {
  const inbound = (client_id: string, identity: unknown, more: EditedRow = {}): EditedRow => ({
    client_id,
    destination: 'sms *',
    identity,
    inbound: true,
    ...more,
  });
  const ownerOf = (...rows: EditedRow[]) =>
    numberOwners(
      { allRows: async () => rows },
      async (ids) => new Set(ids.filter((id) => clients.includes(id))),
      () => now,
    ).ownerOf('+447700900001', 'sms');

  it('is the client whose row says so, in whatever spelling', async () => {
    expect(await ownerOf(inbound('client_1', '+447700900001'))).toBe('client_1');
    expect(await ownerOf(inbound('client_1', ' +44 7700 900-001 ', { inbound: 'true' }))).toBe('client_1');
    const twice = inbound('client_1', '+447700900001', { destination: 'sms GB' });
    expect(await ownerOf(inbound('client_1', '+447700900001'), twice)).toBe('client_1');
  });

  it.each<[string, EditedRow[]]>([
    ['no row names it', [inbound('client_1', '+447700900002')]],
    ['the row is not inbound', [inbound('client_1', '+447700900001', { inbound: false })]],
    ['two clients claim it', clients.map((client) => inbound(client, '+447700900001'))],
    ['the row has a mistake', [inbound('client_1', '+447700900001', { messages_per_second: -1 })]],
    ['there is no such client', [inbound('client_3', '+447700900001')]],
    ['the row is for every client', [inbound('*', '+447700900001')]],
    ['the row is for another channel', [inbound('client_1', '+447700900001', { destination: 'whatsapp *' })]],
  ])('is nobody where %s', async (_what, rows) => {
    expect(await ownerOf(...rows)).toBeUndefined();
  });
});
