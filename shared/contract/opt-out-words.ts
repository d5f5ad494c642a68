/** The words that stop and start messages to a recipient (contract 13.2). */

/**
 * The words of every stage; the setting `optOutWords` adds more. Twilio and AWS End User Messaging opt a number out
 * automatically at these words, so the gateway must do the same.
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

/** Some emoji contain letters or digits, themselves or in their compatibility form: ™, ℹ️, 1️⃣. */
const emoji = /[0-9#*]\uFE0F?\u20E3|\p{Extended_Pictographic}/gu;
/** Variation selectors, joiners, zero-width spaces, soft hyphens, bidirectional marks, fillers. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;
/**
 * Matches words and numbers. The characters between them are punctuation, symbols, spaces,
 * control characters or marks without a letter.
 */
const wordsAndNumbers = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;
/** Matches marks around a word, such as added accents or an apostrophe: a reader sees neither a letter nor a digit. */
const marksAround = /^\p{Lm}+|(?<![\p{M}\p{Lm}])[\p{M}\p{Lm}]+$/gu;

/**
 * Matches an accented Latin letter; accents are often left out. In other scripts a mark can be a vowel that makes
 * another word.
 */
const accentedLetter = /(\p{Script=Latin})\p{M}+/gu;

function wordsIn(text: string): readonly string[] {
  return text.normalize('NFKD').toUpperCase().match(wordsAndNumbers) ?? [];
}

/**
 * Returns the keyword if the text consists of nothing else. Ignores case, width, accents of Latin letters, and any emoji,
 * punctuation, spaces, marks and invisible characters around it; between two words, these count as a space (`OPT-OUT`). If
 * the text contains another word or number, it is not a keyword.
 *
 * @param moreOptOutWords - the words that the stage adds
 * @returns also the word as in the list, which is short even if the text is long
 */
export function optKeywordOf(text: string, moreOptOutWords: readonly string[]) {
  const words = wordsIn(text.replaceAll(emoji, ' ').replaceAll(invisible, ''));
  const written = words.join(' ');
  const withoutMarks = words.map((word) => word.replaceAll(marksAround, '')).join(' ');
  const withoutAccents = (spelling: string) => spelling.replaceAll(accentedLetter, '$1');
  const listed = (each: string) => wordsIn(each).join(' ');
  // Compares the text as written first: in some scripts a mark is a vowel, and a word of the stage may end with it.
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
