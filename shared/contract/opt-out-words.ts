/** The words that stop and start messages to a recipient (contract 13.2). */

/**
 * These words apply to every stage; the setting `optOutWords` adds others. Twilio and AWS End User Messaging opt a number
 * out at these words, so the gateway must do the same.
 */
export const standardOptOutWords = [
  'STOP',
  'STOPALL',
  'STOP ALL',
  'UNSUBSCRIBE',
  'CANCEL',
  'END',
  'QUIT',
  'REVOKE',
  'OPTOUT',
  'OPT OUT',
  'REMOVE',
  'ARRET',
  'TD',
] as const;

export const optInWords = ['START', 'UNSTOP'] as const;

/** Some emoji contain letters or digits, or become such in their compatibility form: ™, ℹ️, 1️⃣. */
const emoji = /[0-9#*]\uFE0F?\u20E3|\p{Extended_Pictographic}/gu;
/** Variation selectors, joiners, zero-width spaces, soft hyphens, bidirectional marks, fillers. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
/**
 * Matches words and numbers. All characters between them are ignored: punctuation, symbols, spaces, control characters, and
 * marks without a letter.
 */
const wordsAndNumbers = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
/** Matches marks around a word, such as added accents or an apostrophe, which readers do not read as letters or digits. */
const marksAround = /^\p{Lm}+|(?<![\p{M}\p{Lm}])[\p{M}\p{Lm}]+$/gu;

/**
 * Matches an accented Latin letter, because accents are often omitted. In other scripts, a mark can be a vowel that changes
 * the word.
 */
const accentedLetter = /(\p{Script=Latin})\p{M}+/gu;

function wordsIn(text: string): readonly string[] {
  return text.normalize('NFKD').toUpperCase().match(wordsAndNumbers) ?? [];
}

/**
 * Returns the keyword if the text consists only of this keyword. Ignores case, width, accents of Latin letters, and emoji,
 * punctuation, spaces, marks and invisible characters around the keyword. Between two words, these count as a space
 * (`OPT-OUT`). If the text contains any other word or number, it is not a keyword.
 *
 * @param moreOptOutWords - the stage's additional words
 * @returns also the listed word, which is short even if the text is long
 */
export function optKeywordOf(text: string, moreOptOutWords: readonly string[]) {
  const words = wordsIn(text.replaceAll(emoji, ' ').replaceAll(invisible, ''));
  const written = words.join(' ');
  const withoutMarks = words.map((word) => word.replaceAll(marksAround, '')).join(' ');
  const withoutAccents = (spelling: string) => spelling.replaceAll(accentedLetter, '$1');
  const listed = (each: string) => wordsIn(each).join(' ');
  // Compares the text as written first, because in some scripts a mark is a vowel, and an additional word may end with one.
  for (const isWritten of [
    (each: string) => listed(each) === written,
    (each: string) => listed(each) === withoutMarks,
    (each: string) => withoutAccents(listed(each)) === withoutAccents(withoutMarks),
  ]) {
    const optOut = [...standardOptOutWords, ...moreOptOutWords].find(isWritten);
    if (optOut !== undefined) return { asksFor: 'opt_out' as const, word: optOut };
    const optIn = optInWords.find(isWritten);
    if (optIn !== undefined) return { asksFor: 'opt_in' as const, word: optIn };
  }
  return undefined;
}
