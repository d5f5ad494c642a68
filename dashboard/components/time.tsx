/** A time in the user's time zone, with the exact UTC time as its title. */

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function Time({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined) return <>–</>;
  return (
    <time dateTime={at} title={at}>
      {format.format(new Date(at))}
    </time>
  );
}
