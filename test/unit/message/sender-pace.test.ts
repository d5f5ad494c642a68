/** The cursor of a sender with a pace, and all that follows from it in virtual time (contract 14.4, 14.5). */
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { clientIdIn } from '../../../shared/contract/mode.ts';
import { pacedMessageOf } from '../../../shared/message/dispatch/paced-message.ts';
import {
  newWorkerPace,
  reservePlace,
  slowDownSender,
} from '../../../shared/message/dispatch/sender-pace.dynamo.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { selectSender } from '../../../shared/sender/select-sender.ts';
import { parseSenderRow } from '../../../shared/sender/sender-row.ts';
import { inMemoryTables } from '../../support/engine/in-memory-tables.ts';
import { testContext } from '../../support/engine/test-context.ts';
import { aMessage, created } from '../../support/message/example-message.ts';
import { mostInTenSeconds, simulatedPacing } from '../../support/message/simulated-pacing.ts';

const paceContext = (clock: () => Date) => ({ ...testContext(undefined, { clock }), pace: newWorkerPace() });
const step = 1020;
const paced = { identity: 'ACME', kind: 'otp', perSecond: 1, segments: 1 } as const;
const fromMs = created.getTime() + 300;

describe('in virtual time', () => {
  it.each([
    { perSecond: 1, total: 100 },
    { perSecond: 20, total: 500 },
    { perSecond: 80, total: 1600 },
  ])(
    'no ten seconds exceed $perSecond a second by more than one message, while workers freeze',
    async (run) => {
      // So often that late calls would exceed every pace.
      const freezing = { passwords: 30, seed: 1, freezesEveryMs: 12_000 };
      const { handedOverMs } = await simulatedPacing({ ...run, ...freezing });
      expect(handedOverMs.length).toBeGreaterThan(run.total / 2);
      expect(mostInTenSeconds(handedOverMs)).toBeLessThanOrEqual(10 * run.perSecond + 1);
    },
  );

  it.each([
    { perSecond: 1, total: 300, passwordMs: 3000 },
    { perSecond: 20, total: 1000, passwordMs: 2000 },
  ])(
    'a password beside a bulk at $perSecond a second waits $passwordMs ms at most, and the bulk uses the rest',
    async ({ passwordMs, ...run }) => {
      const passwords = run.total / 10;
      const done = await simulatedPacing({ ...run, passwords, seed: 1 });
      expect(Math.max(...done.passwordWaitsMs)).toBeLessThanOrEqual(passwordMs);
      const alone = ((run.total + passwords) * step) / run.perSecond / 1000;
      expect(done.bulkSeconds).toBeLessThan(1.1 * alone);
      expect(done.expectedSecondsAtHalf).toBeGreaterThan(0.9 * done.endedSeconds);
    },
  );

  it('a bulk alone takes its time at the pace, and ends when its response says, within 5 %', async () => {
    const done = await simulatedPacing({ total: 1000, perSecond: 20, passwords: 0, seed: 1 });
    expect(done.bulkSeconds).toBeLessThan(1.05 * 50);
    expect(Math.abs(done.endedSeconds / done.expectedSeconds - 1)).toBeLessThan(0.05);
    expect(done.receivesPerMessage).toBeLessThan(1.05);
  });

  it('a bulk message is received three times in 15 minutes at most, on average, while passwords take half', async () => {
    const done = await simulatedPacing({ total: 600, perSecond: 1, passwords: 300, seed: 1 });
    expect(done.bulkSeconds).toBeGreaterThan(900);
    expect(done.receivesPerMessage).toBeLessThanOrEqual(3);
  });
});

describe('a reservation', () => {
  it('takes the next place, as far ahead as its kind may, and else a time in the line of its kind', async () => {
    const ctx = paceContext(() => created);
    const ahead = async (kind: 'bulk' | 'single' | 'otp') => {
      const { outcome, atMs } = await reservePlace(ctx, { ...paced, kind });
      return [outcome, (atMs - fromMs) / step];
    };
    expect(await ahead('bulk')).toEqual(['place', 0]);
    expect(await ahead('bulk')).toEqual(['later', 1]);
    expect(await ahead('single')).toEqual(['place', 1]);
    expect(await ahead('single')).toEqual(['later', 2]);
    expect(await ahead('otp')).toEqual(['place', 2]);
    expect(await ahead('otp')).toEqual(['later', 3]);
    expect(await ahead('otp')).toEqual(['later', 4]);
    expect(await ahead('bulk')).toEqual(['later', 3]);
  });

  it('counts segments, and gives concurrent callers places of their own', async () => {
    const ctx = paceContext(() => created);
    const message = { ...paced, perSecond: 100, segments: 2 };
    const turns = await Promise.all(Array.from({ length: 100 }, () => reservePlace(ctx, message)));
    const places = turns
      .map(({ atMs }) => Math.round((atMs - fromMs) / (step / 50)))
      .toSorted((a, b) => a - b);
    expect(places).toEqual(Array.from({ length: 100 }, (_, index) => index));
  });

  it('takes twice the time for a minute after the carrier throttled, except that of a password', async () => {
    let now = created;
    const ctx = paceContext(() => now);
    const sender = { identity: paced.identity, messages_per_second: 1 };
    await slowDownSender({ ...ctx, currentPaceOf: async () => undefined }, aMessage({ sender }));
    const stepsOf = async (kind: 'single' | 'otp') => {
      now = addSeconds(now, 20);
      const [first, second] = [await reservePlace(ctx, { ...paced, kind }), await reservePlace(ctx, paced)];
      return (second.atMs - first.atMs) / step;
    };
    expect([await stepsOf('single'), await stepsOf('otp')]).toEqual([2, 1]);
    now = addSeconds(now, 20);
    expect(await stepsOf('single')).toBe(1);
  });

  it('of a test message takes no place of a live one of the same sender', async () => {
    const ctx = paceContext(() => created);
    const of = (client_id: string) => {
      const message = pacedMessageOf(
        aMessage({ client_id, sender: { identity: 'ACME', messages_per_second: 1 } }),
      );
      if (message === undefined) throw new Error('the sender has no pace');
      return reservePlace(ctx, message);
    };
    expect(await of(clientIdIn('test', 'client_1'))).toEqual({ outcome: 'place', atMs: fromMs });
    expect(await of('client_1')).toEqual({ outcome: 'place', atMs: fromMs });
  });

  it.each([
    { next_ms: 'soon' },
    { next_ms: null },
    { next_ms: -1 },
    { otp_line_ms: [], slowed_until_ms: '' },
  ])('replaces what somebody wrote to the row: %j', async (edit) => {
    const tables = inMemoryTables();
    const Item = { sender: 'acme', ...edit };
    await tables.dynamo.send(new PutCommand({ TableName: tables.names.sender_pace, Item }));
    const ctx = { ...testContext(tables, { clock: () => created }), pace: newWorkerPace() };
    const turns = [];
    for (let index = 0; index < 4; index += 1) turns.push((await reservePlace(ctx, paced)).outcome);
    expect(turns).toEqual(['place', 'place', 'place', 'later']);
  });

  const stage = { sms: undefined, carriers: { sms: ['aws'], whatsapp: [] } } as unknown as Parameters<
    typeof selectSender
  >[2];
  const number = '+447700900001';
  const named = (identity: string, country: string, pace: object = { messages_per_second: 1 }) => ({
    ...{ client_id: '*', destination: `sms ${country}`, identity },
    ...pace,
  });

  it.each<[string, readonly object[], readonly string[], string | undefined]>([
    ['that a request names, to another country', [named(number, 'GB')], ['GB', 'FR'], number],
    [
      'of which the row for other countries has no pace',
      [named(number, 'GB'), named(number, '*', {})],
      ['GB', 'FR'],
      undefined,
    ],
    ['whose rows differ in case', [named('ACME', 'GB'), named('Acme', 'FR')], ['GB', 'FR'], undefined],
  ])('is of one sender: %s', async (_case, rows, countries, from) => {
    const parsed = rows.map((row) => parseSenderRow({ ...row }));
    const ctx = paceContext(() => created);
    const places: (number | undefined)[] = [];
    for (const country of countries) {
      const { sender } = selectSender(parsed, { channel: 'sms', country, from }, stage);
      const message = pacedMessageOf(aMessage({ segments: 1, ...(sender ? { sender } : {}) }));
      places.push(message && (await reservePlace(ctx, message)).atMs);
    }
    expect(places).toEqual([fromMs, fromMs + step]);
  });
});
