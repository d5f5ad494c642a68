/** The status, the faults and the note of a row that administrators edit, such as a row of limits. */

import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import Icon from '@cloudscape-design/components/icon';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Textarea from '@cloudscape-design/components/textarea';
import type { FieldOfForm } from './form.tsx';

const statusIcons = { active: 'success', invalid: 'warning', expired: 'stopped' } as const;

/**
 * Shows the status that the gateway wrote into the row. A newer gateway may write a status that this dashboard does not
 * know.
 */
export function RowStatus({ status }: { readonly status: string }) {
  return (
    <StatusIndicator type={statusIcons[status as keyof typeof statusIcons] ?? 'info'}>
      {status}
    </StatusIndicator>
  );
}

/** Shows the invalid attributes of a row of limits, and limits that are never reached. */
export function RowFaults({
  faults,
  warnings,
}: {
  readonly faults: readonly { readonly field: string; readonly value: string; readonly message: string }[];
  readonly warnings: readonly string[];
}) {
  const texts = [
    ...faults.map(({ field, value, message }) => `${field} “${value}”: ${message}`),
    ...warnings,
  ];
  return texts.map((text) => (
    <Box key={text} color="text-status-warning" fontSize="body-s">
      <Icon name="status-warning" ariaLabel="Warning" /> {text}
    </Box>
  ));
}

export function NoteField({ value, error, onChange }: FieldOfForm) {
  return (
    <FormField label="Note" description="For administrators: the reason, and whom to ask." errorText={error}>
      <Textarea rows={2} value={value} onChange={({ detail }) => onChange(detail.value)} />
    </FormField>
  );
}
