import fc from 'fast-check';

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Any code point but half of a surrogate pair, as `unit: 'binary'` of fast-check has it. That one lists all of them
 * before its first string, which takes a second in each test file.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count), indexOf);

/** For strings that fast-check adds itself. @throws Error for anything but one of the characters */
function indexOf(character: unknown): number {
  const point = typeof character === 'string' ? character.codePointAt(0) : undefined;
  if (point === undefined || character !== String.fromCodePoint(point) || !character.isWellFormed())
    throw new Error('not one character');
  return point < surrogates.first ? point : point - surrogates.count;
}
