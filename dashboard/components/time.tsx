/** A time in the user's time zone, which is named, and in UTC, as logs and the API have it. */
import { inOneLine } from '../../shared/platform/visible-text.ts';
import { Secondary } from './text.tsx';

const day = { day: 'numeric', month: 'short' } as const;
export const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const local = new Intl.DateTimeFormat(undefined, {
  ...day,
  ...clock,
  year: 'numeric',
  timeZoneName: 'short',
});
const utc = { timeZone: 'UTC', hourCycle: 'h23' } as const;

export function Time({ at }: { readonly at: string | null | undefined }) {
  if (at === null || at === undefined) return <>–</>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={at}>
      {local.format(date)}
      {date.getTimezoneOffset() === 0 ? null : <Secondary>{utcText(date)}</Secondary>}
    </time>
  );
}

/** A sentence of the gateway with its UTC times as the user's, as they are everywhere else on the page. */
export function withLocalTimes(sentence: string): string {
  return inOneLine(sentence).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => local.format(new Date(time)));
}

/** With the day where it is another one in UTC. */
function utcText(date: Date): string {
  const options = { ...utc, ...clock, ...(date.getDate() === date.getUTCDate() ? {} : day) };
  return `${date.toLocaleString(undefined, options)} UTC`;
}
