/** Callbacks as a stranger could send them: each is a genuine one with something changed, left out, or signed otherwise. */
import type { Callback, CallbackVendor } from './vendors/vendor.ts';

interface SignedCallback extends Callback {
  readonly headers: Readonly<Record<string, string>>;
}

type Alteration = (genuine: SignedCallback, place: number) => SignedCallback;

const changed = (text: string, place: number): string => {
  const at = place % text.length;
  const other = text[at] === '0' ? '1' : '0';
  return `${text.slice(0, at)}${other}${text.slice(at + 1)}`;
};

const withHeaders = (
  { headers, ...rest }: SignedCallback,
  change: (value: string) => string | undefined,
): SignedCallback => ({
  ...rest,
  headers: Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const other = change(value);
      return other === undefined ? [] : [[name, other]];
    }),
  ),
});

const alterations: readonly Alteration[] = [
  (genuine, place) => ({ ...genuine, text: changed(genuine.text, place) }),
  (genuine) => ({ ...genuine, text: `${genuine.text} ` }),
  (genuine) => ({ ...genuine, text: genuine.text.slice(0, -1) }),
  (genuine) => ({ ...genuine, text: '' }),
  // The first characters may be the name of the algorithm.
  (genuine, place) =>
    withHeaders(genuine, (value) => value.slice(0, 8) + changed(value.slice(8), place % (value.length - 9))),
  (genuine) => withHeaders(genuine, () => undefined),
  (genuine) => withHeaders(genuine, () => ''),
  (genuine, place) => withHeaders(genuine, (value) => value.slice(0, place % value.length)),
  (genuine) => withHeaders(genuine, (value) => `${value}0`),
];

/** @param index - another alteration for each, as far as the callback allows */
export function alteredCallback(
  vendor: CallbackVendor,
  callback: Callback,
  url: string,
  index: number,
): SignedCallback {
  const signed = (secret: string): SignedCallback => ({
    ...callback,
    headers: vendor.sign(callback, url, secret),
  });
  const alter = alterations[index % (alterations.length + 1)];
  if (alter === undefined) return signed(`another secret ${index}`);
  return alter(signed(vendor.credentials[vendor.callbackSecret] ?? ''), index);
}
