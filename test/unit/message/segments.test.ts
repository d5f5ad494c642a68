/**
 * The number of segments is the one of an independent library, and counting is fast. A text that `smart_encoding` replaced
 * keeps its letters, and never takes more segments.
 */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { segment } from '../../../shared/message/message-text.ts';
import { smsContent, ucs2Of } from '../../../shared/message/smart-encoding.ts';

function byLibrary(text: string) {
  const { encodingName, segmentsCount } = new SegmentedMessage(text);
  return { encoding: encodingName === 'GSM-7' ? 'GSM-7' : 'UCS-2', segments: segmentsCount };
}

describe('segments', () => {
  it('have the encoding that contains every character, for all characters of 16 bits', () => {
    const different: string[] = [];
    for (let code = 1; code < 0x1_0000; code += 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = String.fromCharCode(code);
      if (segment(text).encoding !== byLibrary(text).encoding) different.push(text);
    }
    expect(different).toEqual([]);
  });

  it.each([
    ['a', 160, 'GSM-7', 1],
    ['a', 161, 'GSM-7', 2],
    ['a', 306, 'GSM-7', 2],
    ['a', 307, 'GSM-7', 3],
    ['€', 80, 'GSM-7', 1],
    ['€', 81, 'GSM-7', 2],
    ['ж', 70, 'UCS-2', 1],
    ['ж', 71, 'UCS-2', 2],
    ['😀', 35, 'UCS-2', 1],
    ['😀', 36, 'UCS-2', 2],
    ['😀', 67, 'UCS-2', 3],
  ])('of %s, %i times, are %s, %i', (text, times, encoding, segments) => {
    expect(segment(text.repeat(times))).toEqual({ encoding, segments });
    expect(byLibrary(text.repeat(times))).toEqual({ encoding, segments });
  });

  it('do not split a character of two septets', () => {
    const text = `${'a'.repeat(152)}€${'a'.repeat(152)}`;
    expect(segment(text)).toEqual({ encoding: 'GSM-7', segments: 3 });
    expect(byLibrary(text).segments).toBe(3);
  });

  it('are as many as the library counts, for texts of any mixture', () => {
    const piece = fc.constantFrom('a', 'é', '€', '{', '\n', '\r\n', ' ', 'ж', '漢', '😀', '👍🏽', '🇬🇧', '字');
    const gsm = fc.constantFrom('a', 'é', '€', '{', '\n', ' ', '@');
    fc.assert(
      fc.property(
        fc.oneof(fc.array(gsm, { maxLength: 500 }), fc.array(piece, { maxLength: 300 })),
        (pieces) => {
          const text = pieces.join('');
          if (text !== '') expect(segment(text)).toEqual(byLibrary(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  /** What one grapheme can be made of: marks, joiners, tags, a family, a flag, letters of Indic and Hangul syllables. */
  const joined = [
    '\u0301',
    '\u0489',
    '\u200d',
    '\ufe0f',
    '👩\u200d',
    '\u{e0067}',
    '👍🏽',
    '🇬🇧',
    'क्',
    'ᄀ',
    'ᅡ',
    'ᆨ',
    '한',
    'ำ',
  ];

  it.each([
    ['a', '\u0301', 1599, 24],
    ['ж', '\u0489', 1599, 24],
    // 1,601 code units, and no surrogate pair is split.
    ['👩', '\u200d👩', 533, 25],
    ['🏴', '\u{e0067}', 100, 4],
    ['', 'क्', 800, 24],
    ['', 'ᄀ', 1600, 24],
    ['', '\u200d', 71, 2],
  ])('of %s with %j, %i times, as one grapheme, are %i', (first, mark, times, segments) => {
    expect(segment(first + mark.repeat(times))).toEqual({ encoding: 'UCS-2', segments });
  });

  it('are never fewer than the code units need, however long a grapheme is', () => {
    const run = fc.tuple(
      fc.constantFrom('a', 'é', '漢', '😀', '', ' '),
      fc.constantFrom(...joined),
      fc.nat({ max: 300 }),
    );
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 6 }), (runs) => {
        const text = runs.map(([first, mark, times]) => first + mark.repeat(times)).join('ж');
        const { encoding, segments } = segment(text);
        const [single, part] = encoding === 'GSM-7' ? [160, 153] : [70, 67];
        expect(segments).toBeGreaterThanOrEqual(text.length <= single ? 1 : Math.ceil(text.length / part));
        // A part is left unfilled only for the sake of a character, so hardly more are needed.
        expect(segments).toBeLessThanOrEqual(1 + Math.ceil(text.length / (part / 2)));
      }),
      { numRuns: 500 },
    );
  });

  it('of a thousand texts of full length are counted in a moment', () => {
    const texts = ['x'.repeat(1600), '😀'.repeat(800)];
    const began = performance.now();
    for (let count = 0; count < 1000; count += 1) segment(texts[count % 2] ?? '');
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('smart encoding', () => {
  it.each([
    ['“Don’t” – it’s «ready»', `"Don't" - it's "ready"`],
    ['wait\u2026', 'wait...'],
    ['a\u00a0b\u202fc\td', 'a b c d'],
    ['one\u2028two', 'one\ntwo'],
    ['zero\u200bwidth\ufeff\u00ad', 'zerowidth'],
    // A letter, an emoji or a joiner keeps the whole text as it is.
    ['it’s ж', 'it’s ж'],
    ['it’s ok 👍', 'it’s ok 👍'],
    ['it’s \u200d', 'it’s \u200d'],
    ['Hawai\u02bbi', 'Hawai\u02bbi'],
    // 70 ellipses are one segment, and would be two.
    ['…'.repeat(70), '…'.repeat(70)],
  ])('sends %j as %j', (given, sent) => {
    expect(smsContent(given, true)).toMatchObject({ text: sent, ...byLibrary(sent) });
    expect(smsContent(given, false).text).toBe(given);
  });

  it('of 2,000 texts takes the segments that the library counts, never more than before, and changes no letter', () => {
    const typographic = [...'«»“”„‟″‘’‚‛′´`‐‑–—―−…\u00a0\u2003\u202f\u3000\t\u2028\u200b\u2060\u00ad\ufeff'];
    const plain = ['a', 'é', 'Ω', 'word ', '€', '{', '\n', ' ', '.', "'", '"', '-'];
    const piece = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...plain) },
      fc.constantFrom(...typographic),
    );
    const other = fc.constantFrom('ж', '漢', '😀', 'ʼ', '\u200d', '•');
    const pieces = fc.tuple(fc.array(piece, { minLength: 1, maxLength: 400 }), fc.option(other, { freq: 3 }));
    const lettersOf = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, '');
    let replaced = 0;
    fc.assert(
      fc.property(pieces, ([some, one]) => {
        const given = some.join('') + (one ?? '');
        const { text, encoding, segments } = smsContent(given, true);
        expect({ encoding, segments }).toEqual(byLibrary(text));
        const before = byLibrary(given);
        expect(segments).toBeLessThanOrEqual(before.segments);
        expect(lettersOf(text)).toBe(lettersOf(given));
        expect(smsContent(text, true).text).toBe(text);
        const { avoidable_segments = 0, ...asGiven } = smsContent(given, undefined);
        expect(asGiven).toEqual({ text: given, ...before });
        expect(avoidable_segments).toBe(before.segments - segments);
        if (text === given) return;
        expect(encoding).toBe('GSM-7');
        replaced += 1;
      }),
      { numRuns: 2000 },
    );
    expect(replaced).toBeGreaterThan(200);
  });

  it.each([
    ['blank', '\u200b\u2060'],
    ['longer than 1,600 characters', `…${'a'.repeat(1599)}`],
  ])('leaves a text alone that would be %s, because carriers refuse such texts', (_, text) => {
    expect(smsContent(text, true)).toMatchObject({ text, avoidable_segments: undefined });
  });

  it('counts a one-time password with its code in place of the placeholder', () => {
    // 70 characters with a code of six digits are one segment of UCS-2; more than 160 septets are two of GSM-7.
    const text = `{{code}}${'…'.repeat(52)}${'a'.repeat(12)}`;
    expect(smsContent(text, true, { code_length: 6 })).toMatchObject({ text, segments: 1 });
    expect(smsContent(text, true, { code_length: 7 })).toMatchObject({ encoding: 'GSM-7', segments: 2 });
  });

  it.each([
    ['Hello', undefined],
    [
      '👍 it’s',
      {
        characters: [
          { character: '👍', code: 'U+1F44D', position: 0, replacement: null },
          { character: '’', code: 'U+2019', position: 4, replacement: "'" },
        ],
        more: 0,
        gsm7_segments: null,
      },
    ],
    [
      '\u200b'.repeat(80),
      {
        characters: Array.from({ length: 10 }, (_, position) => ({
          character: '\u200b',
          code: 'U+200B',
          position,
          replacement: '',
        })),
        more: 70,
        gsm7_segments: 1,
      },
    ],
  ])('names what makes %j UCS-2', (text, expected) => {
    expect(ucs2Of(text)).toEqual(expected);
  });
});
