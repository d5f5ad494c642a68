/** Invalid values in a row of limits, and limits that can never be reached. */
import Box from '@cloudscape-design/components/box';
import Icon from '@cloudscape-design/components/icon';
import type { EndpointLimits } from '../../../shared/admin/limits.ts';

export function LimitWarnings({ faults, warnings }: Pick<EndpointLimits, 'faults' | 'warnings'>) {
  const texts = [
    ...faults.map(({ field, value, message }) => `${field.replaceAll('_', ' ')} “${value}”: ${message}`),
    ...warnings,
  ];
  return texts.map((text) => (
    <Box key={text} color="text-status-warning" fontSize="body-s">
      <Icon name="status-warning" ariaLabel="Warning" /> {text}
    </Box>
  ));
}
