/** Numbers that are read at a glance, and may lead to their lists. */
import Box from '@cloudscape-design/components/box';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';

interface TotalProps {
  readonly label: string;
  readonly value: string;
  readonly href?: string;
  readonly note?: string | undefined;
}

export function Totals({ columns, totals }: { columns: number; totals: readonly TotalProps[] }) {
  return (
    <KeyValuePairs
      columns={columns}
      items={totals.map((total) => ({ label: total.label, value: <Total {...total} /> }))}
    />
  );
}

function Total({ value, href, note }: TotalProps) {
  if (href !== undefined) {
    return (
      <Link href={href} fontSize="heading-xl">
        {value}
      </Link>
    );
  }
  return (
    <>
      <Box variant="span" fontSize="heading-xl" fontWeight="bold">
        {value}
      </Box>
      {note === undefined ? null : <Box color="text-body-secondary">{note}</Box>}
    </>
  );
}
