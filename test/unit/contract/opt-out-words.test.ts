import { expect, it } from '@jest/globals';
import { optInWords, standardOptOutWords, wishIn } from '../../../shared/contract/opt-out-words.ts';

it.each([...standardOptOutWords])(
  '%s opts out, in any case and with anything around it but letters',
  (word) => {
    for (const text of [
      word,
      word.toLowerCase(),
      ` ${word}. `,
      `"${word}"!`,
      `\n${word}\u200b`,
      `✋ ${word} ✋`,
    ])
      expect(wishIn(text, [])).toBe('opt_out');
  },
);

it.each([...optInWords])('%s opts in', (word) => {
  expect(wishIn(` ${word.toLowerCase()}! `, [])).toBe('opt_in');
});

it.each(['', '  ', 'STOP ALL', 'please stop', 'stop it', 'stopp', 'STOP 2', 'Start now', '🛑', 'no'])(
  '%p asks for neither',
  (text) => {
    expect(wishIn(text, [])).toBeUndefined();
  },
);

it('a stage can add words, in any script', () => {
  expect(wishIn('arrêt', ['ARRÊT', 'СТОП'])).toBe('opt_out');
  expect(wishIn('стоп!', ['ARRÊT', 'СТОП'])).toBe('opt_out');
  expect(wishIn('arrêt', [])).toBeUndefined();
});
