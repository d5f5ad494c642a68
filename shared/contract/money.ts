/** How amounts of money are counted: as whole millionths of the currency's unit, because binary fractions would not add up. */

/** Prices have five decimals, limits on spend six. */
export const millionthsPerUnit = 1_000_000;

/** For a person: `1,234.5`. Exact to a millionth. */
export function decimalText(amount: number): string {
  return amount.toLocaleString('en', { maximumFractionDigits: 6 });
}
