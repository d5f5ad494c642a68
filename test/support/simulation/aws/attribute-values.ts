/** Attribute values as DynamoDB's protocol writes them, and what is compared and added of them. */

export type Value =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly M: Readonly<Record<string, Value>> }
  | { readonly L: readonly Value[] }
  | { readonly SS: readonly string[] }
  | { readonly NS: readonly string[] }
  | { readonly BS: readonly string[] };

export type Item = Readonly<Record<string, Value>>;
type TypeName = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'M' | 'L' | 'SS' | 'NS' | 'BS';

export function typeOf(value: Value): TypeName {
  for (const name in value) return name as TypeName;
  throw new Error('a value without a type');
}

export function contentOf(value: Value): unknown {
  for (const name in value) return Reflect.get(value, name);
  return undefined;
}

/** DynamoDB's numbers are decimal, with 38 digits; JavaScript's would add 0.1 and 0.2 to something else. */
interface Decimal {
  readonly digits: bigint;
  /** How many of the digits are behind the point. */
  readonly scale: number;
}

function decimalOf(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function aligned(a: string, b: string): readonly [bigint, bigint, number] {
  const [one, other] = [decimalOf(a), decimalOf(b)];
  const scale = Math.max(one.scale, other.scale);
  return [
    one.digits * 10n ** BigInt(scale - one.scale),
    other.digits * 10n ** BigInt(scale - other.scale),
    scale,
  ];
}

function textOf(digits: bigint, scale: number): string {
  const negative = digits < 0n;
  const text = (negative ? -digits : digits).toString().padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  const fraction = text.slice(text.length - scale).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

export function sum(a: string, b: string): string {
  const [one, other, scale] = aligned(a, b);
  return textOf(one + other, scale);
}

export function difference(a: string, b: string): string {
  const [one, other, scale] = aligned(a, b);
  return textOf(one - other, scale);
}

function canonicalNumber(text: string): string {
  const { digits, scale } = decimalOf(text);
  return textOf(digits, scale);
}

function compareNumbers(a: string, b: string): number {
  const [one, other] = aligned(a, b);
  return one < other ? -1 : one > other ? 1 : 0;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  // By the bytes of UTF-8, which only characters beyond the first plane order otherwise than JavaScript does.
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Returns a negative number, 0 or a positive number. Returns undefined if the two values have no order. */
export function compare(a: Value, b: Value): number | undefined {
  if ('S' in a && 'S' in b) return compareText(a.S, b.S);
  if ('N' in a && 'N' in b) return compareNumbers(a.N, b.N);
  if ('B' in a && 'B' in b) return Buffer.compare(Buffer.from(a.B, 'base64'), Buffer.from(b.B, 'base64'));
  return undefined;
}

export function isEqual(a: Value | undefined, b: Value | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  if ('S' in a && 'S' in b) return a.S === b.S;
  if ('N' in a && 'N' in b) return compareNumbers(a.N, b.N) === 0;
  if ('M' in a && 'M' in b) return isEqualItem(a.M, b.M);
  if ('L' in a && 'L' in b)
    return a.L.length === b.L.length && a.L.every((value, index) => isEqual(value, b.L[index]));
  if (isSet(a) && isSet(b)) {
    const [one, other] = [membersOf(a), membersOf(b)];
    return one.length === other.length && one.every((member) => other.includes(member));
  }
  return contentOf(a) === contentOf(b);
}

export function isEqualItem(a: Item | undefined, b: Item | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => isEqual(a[name], b[name]));
}

export function isSet(value: Value): boolean {
  return 'SS' in value || 'NS' in value || 'BS' in value;
}

export function membersOf(value: Value): readonly string[] {
  return contentOf(value) as readonly string[];
}

/** With each number in its one form, as DynamoDB gives it back. */
export function stored(value: Value): Value {
  if ('N' in value) return { N: canonicalNumber(value.N) };
  if ('NS' in value) return { NS: value.NS.map(canonicalNumber) };
  if ('M' in value) return { M: storedItem(value.M) };
  if ('L' in value) return { L: value.L.map(stored) };
  return value;
}

export function storedItem(item: Item): Item {
  const result: Record<string, Value> = {};
  for (const name in item) result[name] = stored(item[name] as Value);
  return result;
}

/**
 * Bytes of an item, by the documented rules: names and texts in UTF-8, numbers two digits a byte, maps and lists 3 and 1 each.
 */
export function itemBytes(item: Item): number {
  let bytes = 0;
  for (const name in item) bytes += textBytes(name) + valueBytes(item[name] as Value);
  return bytes;
}

function textBytes(text: string): number {
  return Buffer.byteLength(text);
}

function numberBytes(text: string): number {
  return Math.ceil(text.replace(/[^0-9]/g, '').replace(/^0+|0+$/g, '').length / 2) + 1;
}

function valueBytes(value: Value): number {
  if ('S' in value) return textBytes(value.S);
  if ('N' in value) return numberBytes(value.N);
  if ('B' in value) return Buffer.byteLength(value.B, 'base64');
  if ('M' in value) return 3 + itemBytes(value.M) + Object.keys(value.M).length;
  if ('L' in value) return 3 + value.L.reduce((bytes, each) => bytes + valueBytes(each) + 1, 0);
  if ('NS' in value) return value.NS.reduce((bytes, each) => bytes + numberBytes(each), 0);
  if (isSet(value)) return membersOf(value).reduce((bytes, each) => bytes + textBytes(each), 0);
  return 1;
}
