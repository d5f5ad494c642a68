/** A phone number is one recipient, however it is spelled: in every send, limit and search. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type CountryCode,
  getCountryCallingCode,
  getExampleNumber,
  Metadata,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import * as z from 'zod/mini';
import { messageQuery } from '../../../shared/admin/find-messages.ts';
import { clientChangeBody } from '../../../shared/admin/manage-clients.ts';
import { outboxQuery } from '../../../shared/admin/simulated-messages.ts';
import { canonicalRecipient } from '../../../shared/contract/phone-number.ts';
import { verifyOtpSchema } from '../../../shared/otp/verify-password.ts';
import { addSeconds } from '../../../shared/platform/clock.ts';
import { runs } from '../../fuzz/runs.ts';
import { aClient, ask, inMemorySends, sendNames, smallRequest } from '../../support/message/sends.ts';

const now = new Date('2026-11-20T10:00:00.000Z');

const countries = Object.keys(examples) as CountryCode[];

/** The number with the digits before it that are dialed within its country; undefined where there are none. */
function withPrefix(country: CountryCode, number: string): string | undefined {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  // The library has it, its types do not.
  const plan = metadata.numberingPlan as unknown as { nationalPrefix(): string | undefined };
  const prefix = plan.nationalPrefix();
  const code = `+${getCountryCallingCode(country)}`;
  return prefix ? `${code}${prefix}${number.slice(code.length)}` : undefined;
}

interface Spelled {
  readonly country: string;
  readonly number: string;
  readonly other: string;
}

/** Digits that are dialed before a number, within some country or other. */
const prefixes = Array.from({ length: 100 }, (_, digits) => [String(digits), `0${digits}`]).flat();

/** The example number of each country, with every other spelling of it that is accepted. */
const spellings: readonly Spelled[] = countries.flatMap((country) => {
  const number = getExampleNumber(country, examples)?.number ?? '';
  const code = `+${getCountryCallingCode(country)}`;
  return prefixes
    .map((prefix) => `${code}${prefix}${number.slice(code.length)}`)
    .filter((other) => canonicalRecipient(other) === number)
    .map((other) => ({ country, number, other }));
});
const anySpelling = fc.constantFrom(...spellings);

describe('a number', () => {
  it('of every country is its own canonical form', () => {
    const numbers = countries.map((country) => String(getExampleNumber(country, examples)?.number));
    expect(numbers.map(canonicalRecipient)).toEqual(numbers);
  });

  it('with its country’s own prefix, where one is dialed, is no other number', () => {
    const tried = countries.flatMap((country) => {
      const number = getExampleNumber(country, examples)?.number ?? '';
      const other = withPrefix(country, number);
      return other === undefined || canonicalRecipient(other) === undefined ? [] : [{ number, other }];
    });
    expect(tried.length).toBeGreaterThan(100);
    expect(tried.map(({ other }) => canonicalRecipient(other))).toEqual(tried.map(({ number }) => number));
  });

  it.each([
    ['+4407700900123', '+447700900123'],
    ['+112025550123', '+12025550123'],
    ['+115005550001', '+15005550001'],
    ['+15005550001', '+15005550001'],
    ['+390612345678', '+390612345678'],
    ['+4400873408176', '+44873408176'],
    ['+5703211234567', '+573211234567'],
  ])('%s is %s', (given, canonical) => {
    expect(canonicalRecipient(given)).toBe(canonical);
  });

  it.each([
    ['ID', '+6200812345678'],
    ['JP', '+81009012345678'],
    ['KR', '+82001020000000'],
    ['SG', '+650081234567'],
    ['CL', '+5600221234567'],
    ['EE', '+3720051234567'],
    ['IS', '+354006111234'],
    ['AU', '+61000412345678'],
    ['CH', '+41000781234567'],
    ['SE', '+46000701234567'],
    ['CZ', '+420000601123456'],
    ['GR', '+30006912345678'],
    ['HK', '+85201151234567'],
  ])(
    'of %s is the same with zeros before it, as dialed abroad or within the country, or refused: %s',
    (country, other) => {
      const number = getExampleNumber(country as CountryCode, examples)?.number;
      expect([number, undefined]).toContain(canonicalRecipient(other));
    },
  );

  it('of no country has two accepted spellings that differ in zeros', () => {
    const zeros = ['0', '00', '000', '0000'];
    const different = countries.flatMap((country) => {
      const number = getExampleNumber(country, examples)?.number ?? '';
      const code = `+${getCountryCallingCode(country)}`;
      const digits = number.slice(code.length);
      // Other lines of the same country, most of them outside the ranges in use.
      const lines = [
        number,
        ...Array.from(digits, (_, at) => `${code}${[...digits].with(at, '5').join('')}`),
      ];
      return lines.flatMap((line) =>
        zeros.flatMap((before) => {
          const other = canonicalRecipient(`${code}${before}${line.slice(code.length)}`);
          if (other === undefined || other === canonicalRecipient(line)) return [];
          // A country may have a line with the 0, as Italy does.
          const national = other.slice(code.length);
          const isLine = national.startsWith('0') && parsePhoneNumberFromString(other)?.isValid() === true;
          return isLine ? [] : [[line, before, other]];
        }),
      );
    });
    expect(different).toEqual([]);
  });

  it('has a canonical form that is E.164 and stays as it is, whatever its digits, and with its prefix', () => {
    const digits = fc.stringMatching(/^[0-9]{4,13}$/);
    fc.assert(
      fc.property(fc.constantFrom(...countries), digits, (country, rest) => {
        const canonical = canonicalRecipient(`+${getCountryCallingCode(country)}${rest}`);
        if (canonical === undefined) return;
        expect(canonical).toMatch(/^\+[1-9][0-9]{6,14}$/);
        expect(canonicalRecipient(canonical)).toBe(canonical);
        const other = withPrefix(country, canonical);
        if (other === undefined || !parsePhoneNumberFromString(canonical)?.isValid()) return;
        expect([canonical, undefined]).toContain(canonicalRecipient(other));
      }),
      { numRuns: runs.numRuns * 10 },
    );
  });
});

describe('another spelling of a number', () => {
  it.each(sendNames)('is stored and answered as the number itself: %s', async (name) => {
    await fc.assert(
      fc.asyncProperty(anySpelling, async ({ number, other }) => {
        const { operations, messages } = inMemorySends();
        const response = await ask(operations[name], {
          client: aClient(),
          now,
          body: smallRequest(name, other),
        });
        expect(messages.all().map(({ recipient }) => recipient)).toEqual([number]);
        expect(JSON.stringify(response.body)).toContain(`"recipient":"${number}"`);
      }),
      { numRuns: 50 },
    );
  });

  it('counts on the limit of one-time passwords of that number, and finds its pending password', async () => {
    await fc.assert(
      fc.asyncProperty(anySpelling, async ({ number, other }) => {
        const { operations, otps } = inMemorySends();
        const client = aClient();
        const send = (to: string) => ask(operations.otp, { client, now, body: { to } });
        for (const to of [number, other, other, number, other]) expect((await send(to)).status).toBe(202);
        for (const to of [number, other]) await expect(send(to)).rejects.toMatchObject({ status: 429 });
        expect(otps.all()).toHaveLength(1);
        expect(verifyOtpSchema.parse({ to: other, code: '0000' }).to).toBe(number);
      }),
      { numRuns: 50 },
    );
  });

  it('is a duplicate in a bulk, reported as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(anySpelling, async ({ number, other }) => {
        const { operations } = inMemorySends();
        const body = { message: 'Hello', recipients: [number, { to: other }] };
        expect((await ask(operations.bulk, { client: aClient(), now, body })).body).toMatchObject({
          accepted: 1,
          errors: [{ index: 1, to: other, error: 'duplicate_recipient' }],
        });
      }),
      { numRuns: 50 },
    );
  });

  it('is the same request under an idempotency key', async () => {
    await fc.assert(
      fc.asyncProperty(anySpelling, fc.constantFrom(...sendNames), async ({ number, other }, name) => {
        const { operations, messages } = inMemorySends();
        const client = aClient();
        for (const [seconds, to] of [number, other].entries()) {
          const at = addSeconds(now, seconds);
          await ask(operations[name], { client, now: at, body: smallRequest(name, to), key: 'k' });
        }
        expect(messages.all()).toHaveLength(1);
      }),
      { numRuns: 50 },
    );
  });

  it('is allowed and refused like the number itself where a client may use some countries only', async () => {
    await fc.assert(
      fc.asyncProperty(anySpelling, fc.constantFrom(...sendNames), async ({ number, other }, name) => {
        const outcome = async (to: string, countries: readonly string[]) =>
          ask(inMemorySends().operations[name], {
            client: aClient({ countries: [...countries] }),
            now,
            body: smallRequest(name, to),
          }).then(
            ({ status }) => status,
            ({ code }) => code,
          );
        for (const countries of [['GB'], ['US'], ['DE', 'FR']]) {
          expect(await outcome(other, countries)).toBe(await outcome(number, countries));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('finds the messages to the number, and is stored as the number in a list of senders', () => {
    const clientBody = clientChangeBody({ webhookUrl: z.string() });
    fc.assert(
      fc.property(anySpelling, ({ number, other }) => {
        expect(messageQuery.parse({ recipient: other }).recipient).toBe(number);
        expect(outboxQuery.parse({ to: other }).to).toBe(number);
        expect(clientBody.parse({ senders: [other] }).senders).toEqual([number]);
      }),
      { numRuns: 50 },
    );
    expect(outboxQuery.safeParse({ to: 'nobody' }).success).toBe(false);
  });
});

describe('the id of a WhatsApp user', () => {
  const to = 'US.13491208655302741918';
  const send = (name: (typeof sendNames)[number], more: object = {}) =>
    ask(inMemorySends().operations[name], {
      client: aClient(),
      now,
      body: { ...smallRequest(name, to), ...more },
    });
  const details = [{ field: 'to', message: expect.stringContaining('Give a phone number.') }];

  it('is a recipient by WhatsApp', async () => {
    expect(await send('whatsapp')).toMatchObject({
      status: 202,
      body: { recipient: to, recipient_type: 'whatsapp_user_id' },
    });
  });

  it.each([
    ['an SMS', 'sms', {}],
    ['a one-time password', 'otp', { channel: 'whatsapp' }],
  ] as const)('is refused for %s', async (_what, name, more) => {
    await expect(send(name, more)).rejects.toMatchObject({ status: 400, details });
  });

  it('is an invalid row of a bulk', async () => {
    expect((await send('bulk', { recipients: [to, '+447700900123'] })).body).toMatchObject({
      errors: [{ error: 'invalid_recipient', message: expect.stringContaining('Give a phone number.') }],
    });
  });
});
