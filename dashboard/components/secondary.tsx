/** A remark: smaller and paler than the text that it belongs to. */
import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';

export function Secondary({ children }: { readonly children: ReactNode }) {
  return (
    <Box color="text-body-secondary" fontSize="body-s">
      {children}
    </Box>
  );
}
