/** Texts: raw ones, remarks, and ids that are links. */
import Box from '@cloudscape-design/components/box';
import Link from '@cloudscape-design/components/link';
import type { ReactNode } from 'react';
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
    <Box color="text-body-secondary" fontSize="body-s">
      {children}
    </Box>
  );
}

/** A link to the page of an id; it can wrap at any character, for narrow columns. */
export function IdLink({ page, id }: { readonly page: string; readonly id: string }) {
  return (
    <span className="id">
      <Link href={linkTo(page, id)}>{id}</Link>
    </span>
  );
}
