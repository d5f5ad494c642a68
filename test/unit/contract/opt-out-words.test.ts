import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { optInWords, optKeywordOf, standardOptOutWords } from '../../../shared/contract/opt-out-words.ts';
import { runs } from '../../fuzz/runs.ts';

const asksFor = (text: string, more: readonly string[] = []) => optKeywordOf(text, more)?.asksFor;

/** What people, keyboards and apps put around a word: none of it says anything more. */
const around = [
  ' ',
  '\n',
  '\u00a0',
  '\u3000',
  '\t',
  '.',
  '!',
  '…',
  '"',
  '»',
  '¡',
  '。',
  '！',
  '´',
  '¨',
  '‼️',
  '❗️',
  '⛔️',
  '🛑',
  '✋🏽',
  '👨‍👩‍👧',
  '🇬🇧',
  '1️⃣',
  '#️⃣',
  'ℹ️',
  '™',
  '©',
  'Ⓜ️',
  '㊗️',
  '🅰️',
  '\ufe0f',
  '\u200b',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u034f',
  '\u202e',
  '\u2066',
  '\u3164',
  '\u2800',
  '\u20e3',
  '\u0301',
  '\u0336',
  '\u0489',
  '\u0000',
  '\u{e0020}',
  '\u{fe000}',
];

const fullWidth = (word: string) =>
  [...word].map((letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)).join('');

const spellings: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => word.toLowerCase(),
  (word) => word.slice(0, 1) + word.slice(1).toLowerCase(),
  fullWidth,
  (word) => [...word].join('\u200b'),
  (word) => [...word].map((letter) => `${letter}\ufe0f`).join(''),
  (word) => [...word].map((letter) => String.fromCodePoint(letter.charCodeAt(0) - 65 + 0x1d400)).join(''),
];

describe('a word that opts out or in', () => {
  it('counts in any case and width, whatever surrounds it that says nothing more', () => {
    const word = fc.constantFrom(
      ...[...standardOptOutWords, ...optInWords].filter((each) => !each.includes(' ')),
    );
    const surrounding = fc.array(fc.constantFrom(...around), { maxLength: 4 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        word,
        fc.constantFrom(...spellings),
        surrounding,
        surrounding,
        (given, spell, before, after) => {
          const found = optKeywordOf(`${before}${spell(given)}${after}`, []);
          expect(found?.word).toBe(given);
          expect(found?.asksFor).toBe(optInWords.some((each) => each === given) ? 'opt_in' : 'opt_out');
        },
      ),
      { numRuns: 20 * runs.numRuns },
    );
  });

  it.each(around.map((each) => [JSON.stringify(each), each]))('counts between two of %s', (_name, each) => {
    expect(asksFor(`${each}STOP${each}`)).toBe('opt_out');
    expect(asksFor(`${each} start ${each}`)).toBe('opt_in');
  });

  it.each([
    'STOP‼️',
    'STOP ⛔️',
    'Stop❗️❗️',
    '✋ STOP ✋',
    '“Stop.”',
    'STOP’',
    'STOPʼ',
    '*STOP*',
    'STOP \uFE7C',
  ])('counts as people write it: %p', (text) => {
    expect(asksFor(text)).toBe('opt_out');
  });

  it.each([
    [
      'OPT OUT',
      [
        'OPT OUT',
        'Opt-out',
        'opt‑out!',
        'OPT\u2013OUT',
        'opt.out',
        'Opt  out 🛑',
        'ＯＰＴ ＯＵＴ',
        'opt\nout',
      ],
    ],
    ['STOP ALL', ['STOP ALL', 'Stop-all', 'stop all.']],
    ['OPTOUT', ['optout', 'OptOut.']],
    ['ARRET', ['ARRET', 'Arrêt', 'ARRE\u0302T!', 'arrèt']],
    ['REMOVE', ['remove']],
    ['TD', ['Td']],
  ])('counts where a carrier stops at it, in two words and with accents: %s', (word, texts) => {
    for (const text of texts)
      expect([text, optKeywordOf(text, [])]).toEqual([text, { asksFor: 'opt_out', word }]);
  });

  it('never counts together with another word or a number, in any script', () => {
    const letter = fc
      .integer({ min: 0x30, max: 0x10ffff })
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      // A modifier letter beside a word is an apostrophe, and a filler is invisible.
      .filter((each) =>
        /^(?!\p{Lm}|\p{Default_Ignorable_Code_Point}|\p{Extended_Pictographic})[\p{L}\p{N}]$/u.test(each),
      )
      // The isolated form of an Arabic vowel sign is a letter by its category, and a mark by its compatibility form.
      .filter((each) => /(?!\p{Lm})[\p{L}\p{N}]/u.test(each.normalize('NFKD')));
    const other = fc.array(letter, { minLength: 1, maxLength: 6 }).map((letters) => letters.join(''));
    const between = fc.constantFrom(' ', ', ', '-', '. ', '\u00a0', '🛑', '\n');
    fc.assert(
      fc.property(
        fc.constantFrom(...standardOptOutWords, ...optInWords),
        other,
        between,
        fc.boolean(),
        (word, more, gap, isFirst) => {
          expect(asksFor(isFirst ? `${word}${gap}${more}` : `${more}${gap}${word}`)).toBeUndefined();
        },
      ),
      { numRuns: 5 * runs.numRuns },
    );
  });

  it.each([
    '',
    '  ',
    'stop by at 5',
    'Stop by at 5!',
    'STOP ALL NOW',
    'OPT OUT of this',
    'out opt',
    'opt',
    'UN STOP',
    'remove me',
    'please stop',
    'stop it',
    'stopp',
    'STOP 2',
    'STOP2',
    'S.T.O.P',
    'S T O P',
    "don't stop",
    "stop'n'go",
    'ST🛑OP',
    'end of story',
    'Start now',
    'restart',
    '🛑',
    'no',
    'стоп',
  ])('%p asks for neither', (text) => {
    expect(asksFor(text)).toBeUndefined();
  });

  it('is short in its result, whatever surrounds it', () => {
    const text = `Stop${'.'.repeat(2000)}${'\u0301'.repeat(2000)}`;
    expect(optKeywordOf(`${text}x`, [])).toBeUndefined();
    expect(optKeywordOf(`Stop${'\u0301'.repeat(2000)}${'!'.repeat(2000)}`, [])).toEqual({
      asksFor: 'opt_out',
      word: 'STOP',
    });
  });
});

describe('words that a stage adds', () => {
  it.each([
    ['DÉSABONNER', ['désabonner', 'DE\u0301SABONNER!', 'desabonner', '🛑 Desabonner 🛑']],
    ['AVSLUTA', ['avsluta', 'ÅVSLUTA']],
    ['NE PLUS RECEVOIR', ['ne plus recevoir', 'Ne-plus-recevoir!']],
    ['СТОП', ['стоп!', 'Стоп‼️']],
    ['中止', ['中止。', '「中止」']],
    ['रोकें', ['रोकें', 'रोकें!']],
    ['หยุด', ['หยุด']],
    ['BAJA', ['baja', 'ＢＡＪＡ']],
    ['الغاء', ['الغاء', '\u200fالغاء\u200e']],
  ])('count in their own script: %s', (word, texts) => {
    for (const text of texts) {
      expect(asksFor(text)).toBeUndefined();
      expect(optKeywordOf(text, [word])).toEqual({ asksFor: 'opt_out', word });
    }
  });

  it('are not taken for words that differ in a vowel', () => {
    expect(asksFor('रोका', ['रोकें'])).toBeUndefined();
    expect(asksFor('หยด', ['หยุด'])).toBeUndefined();
  });
});
