/** A link to the page of an id; it can wrap at any character, for narrow columns. */
import Link from '@cloudscape-design/components/link';
import { linkTo } from '../route.ts';

export function IdLink({ page, id }: { readonly page: string; readonly id: string }) {
  return (
    <span className="id">
      <Link href={linkTo(page, id)}>{id}</Link>
    </span>
  );
}
