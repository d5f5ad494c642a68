/** An id that leads to what it names; it breaks anywhere, so a narrow column can hold it. */
import Link from '@cloudscape-design/components/link';
import { linkTo } from '../route.ts';

export function IdLink({ page, id }: { readonly page: string; readonly id: string }) {
  return (
    <span className="id">
      <Link href={linkTo(page, id)}>{id}</Link>
    </span>
  );
}
