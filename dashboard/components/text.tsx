/** Texts: raw ones, remarks, times, and ids that are links or can be copied. */
import Box from '@cloudscape-design/components/box';
import CopyToClipboard, { type CopyToClipboardProps } from '@cloudscape-design/components/copy-to-clipboard';
import Link from '@cloudscape-design/components/link';
import type { ReactNode } from 'react';
import { inOneLine } from '../../shared/platform/visible-text.ts';
import { linkTo } from '../route.ts';

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

/** A remark: smaller and paler than the text that it belongs to. */
export function Secondary({ children }: { readonly children: ReactNode }) {
  return (
    <Box variant="span" display="block" color="text-body-secondary" fontSize="body-s">
      {children}
    </Box>
  );
}

/** A link that can wrap at any character, for narrow columns. */
export function WrappingLink({ href, children }: { readonly href: string; readonly children: string }) {
  return (
    <span className="id">
      <Link href={href}>{inOneLine(children)}</Link>
    </span>
  );
}

/** A link to the page of an id. */
export function IdLink({ page, id }: { readonly page: string; readonly id: string }) {
  return <WrappingLink href={linkTo(page, id)}>{id}</WrappingLink>;
}

/** What a person wrote, with its line breaks, and from right to left where its script is; nothing where there is none. */
export function Written({ text }: { readonly text: string | null | undefined }) {
  if (text === null || text === undefined) return null;
  return (
    <span className="written" dir="auto">
      {text}
    </span>
  );
}

const day = { day: 'numeric', month: 'short' } as const;
export const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
const local = new Intl.DateTimeFormat(undefined, {
  ...day,
  ...clock,
  year: 'numeric',
  timeZoneName: 'short',
});
const utc = { timeZone: 'UTC', hourCycle: 'h23' } as const;

/** A time in the user's time zone, which is named, and in UTC, as logs and the API have it. */
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

interface CopyableProps {
  /** What the text is, for screen readers: `message id`. */
  readonly name: string;
  readonly text: string;
  /** Shown instead of the text. */
  readonly children?: ReactNode;
}

/** A text that people paste elsewhere, such as an id, with a button to copy it. */
export function Copyable({ name, text, children }: CopyableProps) {
  return (
    <span className="copyable">
      <span className="id">{children ?? inOneLine(text)}</span>
      <CopyButton name={name} text={text} />
    </span>
  );
}

interface CopyButtonProps extends Omit<CopyableProps, 'children'> {
  /** `inline`: with the text. */
  readonly variant?: CopyToClipboardProps.Variant;
}

export function CopyButton({ name, text, variant = 'icon' }: CopyButtonProps) {
  return (
    <CopyToClipboard
      variant={variant}
      textToCopy={text}
      copyButtonAriaLabel={`Copy ${name}`}
      copySuccessText="Copied"
      copyErrorText="Copying failed. Select the text instead."
    />
  );
}
