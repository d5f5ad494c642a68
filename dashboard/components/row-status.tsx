/** The status of a row that people edit, such as a row of limits. */
import StatusIndicator from '@cloudscape-design/components/status-indicator';

const statusIcons = { active: 'success', invalid: 'warning', expired: 'stopped' } as const;

/** As the gateway writes it into the row; of a newer gateway it may be another word. */
export function RowStatus({ status }: { readonly status: string }) {
  return (
    <StatusIndicator type={statusIcons[status as keyof typeof statusIcons] ?? 'info'}>
      {status}
    </StatusIndicator>
  );
}
