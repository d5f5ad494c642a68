/** What is wrong in a row of limits, with a button that removes the attribute; limits that are never reached. */
import Box from '@cloudscape-design/components/box';
import Icon from '@cloudscape-design/components/icon';
import type { ReactNode } from 'react';
import type { EndpointLimits } from '../../../shared/admin/limits.ts';
import { useChange } from '../../api/change.ts';
import { RowAction } from '../../components/row-action.tsx';
import { useDashboard } from '../../context.ts';

export function LimitWarnings({ row }: { readonly row: EndpointLimits }) {
  // Of an endpoint or a client that does not exist, only the whole row can be removed.
  const isCorrectable =
    row.windows.length > 0 && row.faults.every(({ field }) => field !== 'client_id' && field !== 'endpoint');
  return (
    <>
      {row.faults.map(({ field, value, message }) => (
        <Warning key={field}>
          {isCorrectable ? `${field} “${value}”: ` : ''}
          {message} {isCorrectable ? <RemoveAttribute row={row} field={field} /> : null}
        </Warning>
      ))}
      {(isCorrectable ? row.warnings : []).map((text) => (
        <Warning key={text}>{text}</Warning>
      ))}
    </>
  );
}

function Warning({ children }: { readonly children: ReactNode }) {
  return (
    <Box color="text-status-warning" fontSize="body-s">
      <Icon name="status-warning" ariaLabel="Warning" /> {children}
    </Box>
  );
}

interface RemoveAttributeProps {
  readonly row: EndpointLimits;
  readonly field: string;
}

function RemoveAttribute({ row: { client_id, endpoint }, field }: RemoveAttributeProps) {
  const { api, notify } = useDashboard();
  const remove = useChange({
    mutationFn: () => api.send('setLimits', { client_id }, { endpoint, remove: [field] }),
    onSuccess: ({ status, status_message }) =>
      notify(status === 'invalid' ? 'warning' : 'success', `${field} removed. ${status_message ?? ''}`),
  });
  return (
    <RowAction
      text={`Remove ${field}`}
      of={endpoint}
      isPending={remove.isPending}
      onClick={() => remove.mutate()}
    />
  );
}
