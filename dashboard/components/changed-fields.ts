/** What a form of a row sends: only what is another value than before; null removes a value. */

export function changedFields<Name extends string>(
  before: Readonly<Record<Name, string>>,
  values: Readonly<Record<Name, string>>,
  isNumber: (name: Name) => boolean = () => false,
): Readonly<Record<string, string | number | null>> {
  const names = (Object.keys(values) as Name[]).filter((name) => values[name].trim() !== before[name]);
  return Object.fromEntries(
    names.map((name) => {
      const text = values[name].trim();
      if (text === '') return [name, null];
      // What is no number goes as it is, so that the gateway refuses it: NaN would be sent as null.
      return [name, isNumber(name) && Number.isFinite(Number(text)) ? Number(text) : text];
    }),
  );
}
