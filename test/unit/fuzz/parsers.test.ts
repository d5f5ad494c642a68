import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CountryCode, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import { GatewayError } from '../../../shared/contract/errors.ts';
import {
  canonicalRecipient,
  countryOf,
  isRecipient,
  recipientAdvice,
} from '../../../shared/contract/phone-number.ts';
import { messageCursor } from '../../../shared/message/list-own-messages.ts';
import { placeholdersOf, render, renderedLength } from '../../../shared/message/message-text.ts';
import { checkUrl, isAllowedAddress } from '../../../shared/webhook/address-guard.ts';
import { anyCharacter } from '../../fuzz/any-character.ts';
import { runs } from '../../fuzz/runs.ts';

const anyText = fc.string({ unit: anyCharacter, maxLength: 200 });
const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/);
const publicOnly = { allowLoopback: false, allowHttp: true, ports: 'any' } as const;

describe('a template', () => {
  it('is rendered to exactly its pieces and values, and a value is never read as a template', () => {
    const value = fc.oneof(anyText, fc.constantFrom('{{a}}', '{{', '$&', '$1', '}}{{b}}'));
    const piece = fc.oneof(
      fc.constantFrom('Hello ', '{', '}', ' € ', '$&'),
      name.map((text) => `{{ ${text} }}`),
    );
    fc.assert(
      fc.property(fc.array(piece), fc.dictionary(name, value), (pieces, values) => {
        const template = pieces.join('');
        const asked = placeholdersOf(template);
        const rendered = render(template, values);
        const missing = asked.filter((each) => !Object.hasOwn(values, each));
        if (missing.length > 0) return expect(rendered).toEqual({ ok: false, missing });
        const expected = asked.reduce(
          (parts, each) => parts.flatMap((part) => (typeof part === 'string' ? split(part, each) : [part])),
          [template] as (string | { readonly name: string })[],
        );
        const text = expected.map((part) => (typeof part === 'string' ? part : values[part.name])).join('');
        expect(renderedLength(template, values)).toBe(text.length);
        return expect(rendered).toEqual({ ok: true, text });
      }),
      runs,
    );
  });

  it('of any text breaks nothing, and without placeholders stays as it is', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const rendered = render(text, {});
        if (placeholdersOf(text).length === 0) expect(rendered).toEqual({ ok: true, text });
        else expect(rendered.ok).toBe(false);
      }),
      runs,
    );
  });

  it.each(['__proto__', 'constructor', 'toString'])('takes no %s from where nobody put it', (inherited) => {
    expect(render(`{{${inherited}}}`, {})).toEqual({ ok: false, missing: [inherited] });
  });
});

describe('a phone number', () => {
  it('of every country is taken as one of its calling code, and refused with a letter in it', () => {
    const country = fc.constantFrom(...(Object.keys(examples) as CountryCode[]));
    const strange = fc
      .string({ minLength: 1, maxLength: 3, unit: anyCharacter })
      .filter((text) => /\p{L}/u.test(text.replaceAll('\u30fc', '')));
    fc.assert(
      fc.property(country, fc.nat(20), strange, (from, at, text) => {
        const number = getExampleNumber(from, examples)?.number ?? '';
        expect([from, isRecipient(number)]).toEqual([from, true]);
        const found = countryOf(number);
        expect(found === undefined ? '' : getCountryCallingCode(found)).toBe(getCountryCallingCode(from));
        expect(isRecipient(`${number.slice(0, at)}${text}${number.slice(at)}`)).toBe(false);
      }),
      runs,
    );
  });

  it('of any text is judged without a crash, and its canonical form is E.164', () => {
    const nearly = fc.stringMatching(/^\+?[0-9 ()-]{0,20}$/);
    fc.assert(
      fc.property(fc.oneof(anyText, nearly), (text) => {
        const canonical = canonicalRecipient(text);
        if (canonical === undefined) expect(recipientAdvice(text)).toMatch(/^(It|Write|Begin|Check) .+\.$/su);
        else expect(canonical).toMatch(/^\+[1-9]\d{6,14}$/);
        const country = countryOf(text);
        if (country !== undefined) expect(country).toMatch(/^[A-Z]{2}$/);
      }),
      runs,
    );
  });
});

describe('a cursor', () => {
  const id = fc.stringMatching(/^msg_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  const moment = fc.date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });

  it('gives back the position that it was made of', () => {
    fc.assert(
      fc.property(moment, id, (at, messageId) => {
        const position = `${at.toISOString()}#${messageId}`;
        expect(messageCursor.decode(messageCursor.encode(position))).toBe(position);
      }),
      runs,
    );
  });

  it('that no listing gave is refused as a fault of the request, whatever it is', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.base64String(), anyText.map(messageCursor.encode)), (text) => {
        expect(() => messageCursor.decode(text)).toThrow(GatewayError);
      }),
      runs,
    );
  });
});

describe('the address filter', () => {
  const octet = fc.nat(255);
  const privateIpv4 = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
  );
  const hex = (number: number): string => number.toString(16);

  it('lets no private IPv4 address through, however it is written', () => {
    fc.assert(
      fc.property(privateIpv4, ([a, b, c, d]) => {
        const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
        const low = `${hex((a << 8) | b)}:${hex((c << 8) | d)}`;
        const forms = [
          `${a}.${b}.${c}.${d}`,
          String(number),
          `0x${hex(number)}`,
          `0${a.toString(8)}.0x${hex(b)}.${(c << 8) | d}`,
          `[::ffff:${a}.${b}.${c}.${d}]`,
          `[::ffff:${low}]`,
          `[::${low}]`,
          `[64:ff9b::${low}]`,
          `[2002:${low}::1]`,
        ];
        for (const host of forms) {
          expect([host, checkUrl(`http://${host}/hook`, publicOnly).allowed]).toEqual([host, false]);
        }
      }),
      runs,
    );
  });

  it('lets no private IPv6 address through', () => {
    const groups = fc.array(fc.nat(0xffff).map(hex), { minLength: 7, maxLength: 7 });
    fc.assert(
      fc.property(
        fc.constantFrom('fc00', 'fd12', 'fe80', 'febf', 'fec0', 'ff02', '0', '2001:db8'),
        groups,
        (first, rest) => {
          const address = [...first.split(':'), ...rest].slice(0, 8).join(':');
          expect([address, isAllowedAddress(address, publicOnly)]).toEqual([address, false]);
        },
      ),
      runs,
    );
  });

  it('judges any text without a crash', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.tuple(fc.domain(), anyText).map(([host, rest]) => `https://${host}/${rest}`),
          anyText.map((text) => `https://${text}/`),
        ),
        (text) => {
          expect(typeof checkUrl(text, publicOnly).allowed).toBe('boolean');
        },
      ),
      runs,
    );
  });
});

/** The text in pieces, with a mark for each placeholder of this name. */
function split(text: string, placeholder: string): (string | { readonly name: string })[] {
  const pieces = text.split(new RegExp(`\\{\\{\\s*${placeholder}\\s*\\}\\}`));
  return pieces.flatMap((piece, i) => (i === 0 ? [piece] : [{ name: placeholder }, piece]));
}
