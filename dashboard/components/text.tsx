/** Texts: raw ones, remarks, and ids that are links. */
import Box from '@cloudscape-design/components/box';
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
