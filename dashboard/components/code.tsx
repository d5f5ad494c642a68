/** Raw text, such as a request body; scrolls if it is long, also by keyboard. */

export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  if (text === '') return <span>Empty</span>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="code">
      {text}
    </section>
  );
}
