/** The words with which people stop and start messages (contract, section 13). */

/** On every stage; the setting `optOutWords` adds words to those of one. */
export const standardOptOutWords = [
  'STOP',
  'STOPALL',
  'UNSUBSCRIBE',
  'CANCEL',
  'END',
  'QUIT',
  'REVOKE',
  'OPTOUT',
] as const;

export const optInWords = ['START', 'UNSTOP'] as const;

const surrounding = String.raw`[\s\p{P}\p{S}\p{C}]*`;
const onlyWord = new RegExp(`^${surrounding}(\\p{L}[\\p{L}\\p{M}\\p{N}]*)${surrounding}$`, 'u');

/** The one word of which a text consists, if it does. */
export function onlyWordOf(text: string): string | undefined {
  return onlyWord.exec(text.normalize('NFKC'))?.[1]?.toUpperCase();
}

/**
 * What a text asks for that consists only of one of the words: any case, surrounding spaces and punctuation ignored.
 *
 * @param moreOptOutWords - those that the stage adds
 */
export function wishIn(text: string, moreOptOutWords: readonly string[]): 'opt_out' | 'opt_in' | undefined {
  const word = onlyWordOf(text);
  if (word === undefined) return undefined;
  const isIn = (words: readonly string[]) => words.some((each) => each.toUpperCase() === word);
  if (isIn(standardOptOutWords) || isIn(moreOptOutWords)) return 'opt_out';
  return isIn(optInWords) ? 'opt_in' : undefined;
}
