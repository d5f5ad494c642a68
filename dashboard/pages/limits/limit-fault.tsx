/** Invalid values in a row of limits, and limits that can never be reached. */
import Box from '@cloudscape-design/components/box';
import Icon from '@cloudscape-design/components/icon';
import type { LimitFault } from '../../../shared/admin/limits.ts';

export function LimitFaultNote({ field, value, message }: LimitFault) {
  return (
    <Box color="text-status-warning" fontSize="body-s">
      <Icon name="status-warning" ariaLabel="Warning" /> {field.replaceAll('_', ' ')} “{value}”: {message}
    </Box>
  );
}

export function LimitWarningNote({ warning }: { readonly warning: string }) {
  return (
    <Box color="text-status-warning" fontSize="body-s">
      <Icon name="status-warning" ariaLabel="Warning" /> {warning}
    </Box>
  );
}
