/** A number that is read at a glance, and may lead to its list. */
import Box from '@cloudscape-design/components/box';
import Link from '@cloudscape-design/components/link';

interface TotalProps {
  readonly value: string;
  readonly href?: string;
}

export function Total({ value, href }: TotalProps) {
  if (href !== undefined) {
    return (
      <Link href={href} fontSize="heading-xl">
        {value}
      </Link>
    );
  }
  return (
    <Box variant="span" fontSize="heading-xl" fontWeight="bold">
      {value}
    </Box>
  );
}
