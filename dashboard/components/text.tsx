/** Shows raw text, contents of messages, remarks, times, and ids as links or with a copy button. */
import Box from '@cloudscape-design/components/box';
import CopyToClipboard, { type CopyToClipboardProps } from '@cloudscape-design/components/copy-to-clipboard';
import Link from '@cloudscape-design/components/link';
import type { ReactNode } from 'react';
import { type Content, summaryOf } from '../../shared/message/message-summary.ts';
import { inOneLine } from '../../shared/platform/visible-text.ts';
import { linkTo } from '../route.ts';

/** Shows raw text, such as a request body. Long text scrolls, even with the keyboard. */
export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  if (text === '') return <span>Empty</span>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="code">
      {text}
    </section>
  );
}

/** Shows a less important remark, smaller and paler than the main text. */
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

/**
 * Shows the text of a message with its line breaks and its direction (left or right). Shows nothing if the text is absent.
 */
export function Written({ text }: { readonly text: string | null | undefined }) {
  if (text === null || text === undefined) return null;
  return (
    <span className="written" dir="auto">
      {text}
    </span>
  );
}

/** Shows the text of a message, or a summary and all parts of other content. */
export function MessageContent(content: Content) {
  const summary = summaryOf(content);
  const { type = 'text', ...parts } = content.whatsapp ?? {};
  return (
    <>
      {summary === '' ? <Secondary>No text</Secondary> : <Written text={summary} />}
      {type === 'text' ? null : <div className="parts">{JSON.stringify(parts, null, 2)}</div>}
    </>
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

/** Shows a time in the user's time zone, with the zone's name, and in UTC, as in logs and the API. */
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

/** Converts the UTC times in a sentence of the gateway to the user's time zone. */
export function withLocalTimes(sentence: string): string {
  return inOneLine(sentence).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) => local.format(new Date(time)));
}

/** Formats the time in UTC. Adds the day if it is different in UTC. */
function utcText(date: Date): string {
  const options = { ...utc, ...clock, ...(date.getDate() === date.getUTCDate() ? {} : day) };
  return `${date.toLocaleString(undefined, options)} UTC`;
}

/** Shows a text, such as an id, with a copy button. */
export function Copyable({
  name,
  text,
  children,
}: {
  /** The name of the text for screen readers, such as `message id`. */
  readonly name: string;
  readonly text: string;
  /** The content to show instead of the text. */
  readonly children?: ReactNode;
}) {
  return (
    <span className="copyable">
      <span className="id">{children ?? inOneLine(text)}</span>
      <CopyButton name={name} text={text} />
    </span>
  );
}

export function CopyButton({
  name,
  text,
  variant = 'icon',
}: {
  readonly name: string;
  readonly text: string;
  /** `inline`: with the text. */
  readonly variant?: CopyToClipboardProps.Variant;
}) {
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
