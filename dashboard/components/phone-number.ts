/** Phone numbers as people paste them, in the form in which the gateway takes them. */

/** Without what people put between the digits, and without the invisible marks that copied numbers have. */
export function withoutSeparators(text: string): string {
  return text.replaceAll(/[\s\p{Pd}\p{Cf}()./]/gu, '');
}
