/** What a form of a row sends: only what is another value than before; null removes a value, and turns off what is on. */

export function changedFields<Name extends string>(
  before: Readonly<Record<Name, string | boolean>>,
  values: Readonly<Record<Name, string | boolean>>,
  isNumber: (name: Name) => boolean = () => false,
): Readonly<Record<string, string | number | boolean | null>> {
  const plain = (value: string | boolean) => (typeof value === 'string' ? value.trim() : value);
  const names = (Object.keys(values) as Name[]).filter((name) => plain(values[name]) !== before[name]);
  return Object.fromEntries(
    names.map((name) => {
      const value = plain(values[name]);
      if (value === '' || value === false) return [name, null];
      // What is no number goes as it is, so that the gateway refuses it: NaN would be sent as null.
      return [name, isNumber(name) && Number.isFinite(Number(value)) ? Number(value) : value];
    }),
  );
}
