/** The segment counter against an independent library, and against what must hold of any text. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { segment } from '../../../shared/message/message-text.ts';
import { anyCharacter } from '../../fuzz/any-character.ts';
import { runs } from '../../fuzz/runs.ts';

/** One character with any number of marks, which may be longer than a segment. */
const longCharacter = fc
  .tuple(
    fc.constantFrom('a', 'ж', '👩', '🏴'),
    fc.string({
      unit: fc.constantFrom('\u0301', '\u0489', '\u200d', '\u{e0067}'),
      maxLength: 800,
      size: 'max',
    }),
  )
  .map((parts) => parts.join(''));
const anyText = fc.oneof(
  longCharacter,
  fc.string({ unit: 'grapheme', maxLength: 400, size: 'max' }),
  fc.string({ unit: anyCharacter, maxLength: 400, size: 'max' }),
  fc.string({ unit: 'grapheme-ascii', maxLength: 800, size: 'max' }),
);
const gsmCharacter = fc.constantFrom(...'@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞ^{}\\[~]|€ÆæßÉ !aZ09¿ñ');
const gsmText = fc.string({ unit: gsmCharacter, maxLength: 1600, size: 'max' });

describe('segments', () => {
  it('of GSM-7 texts of any mixture and length are as many as the library counts', () => {
    fc.assert(
      fc.property(gsmText, (text) => {
        fc.pre(text !== '');
        const { encodingName, segmentsCount } = new SegmentedMessage(text);
        expect(encodingName).toBe('GSM-7');
        expect(segment(text)).toEqual({ encoding: 'GSM-7', segments: segmentsCount });
      }),
      runs,
    );
  });

  it('of any text are at least as many as its code units need, and one where it is short', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { encoding, segments } = segment(text);
        const [single, part] = encoding === 'GSM-7' ? [160, 153] : [70, 67];
        expect(segments).toBeGreaterThanOrEqual(text.length <= single ? 1 : Math.ceil(text.length / part));
        if (encoding === 'UCS-2' && text.length <= single) expect(segments).toBe(1);
      }),
      runs,
    );
  });

  it('are never fewer for a text with another appended than for the text', () => {
    fc.assert(
      fc.property(gsmText, gsmText, (text, more) => {
        expect(segment(text + more).segments).toBeGreaterThanOrEqual(segment(text).segments);
      }),
      runs,
    );
  });
});
