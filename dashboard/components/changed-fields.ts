/** Returns the changed fields of a form. Null removes a value or turns it off. */

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
      // An invalid number is sent as text, so that the gateway refuses it; NaN would be sent as null.
      return [name, isNumber(name) && Number.isFinite(Number(value)) ? Number(value) : value];
    }),
  );
}
