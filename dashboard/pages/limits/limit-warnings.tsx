/** The invalid attributes of a row of limits, each with a button that removes it, and limits that are never reached. */

import Box from '@cloudscape-design/components/box';
import Icon from '@cloudscape-design/components/icon';
import type { ReactNode } from 'react';
import { RemoveAttribute } from '../../components/edited-row.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import type { EndpointLimits } from './limit-field.ts';

export function LimitWarnings({ row }: { readonly row: EndpointLimits }) {
  const { api } = useDashboard();
  // If the endpoint or the client does not exist, only the whole row can be removed.
  const isCorrectable =
    row.windows.length > 0 && row.faults.every(({ field }) => field !== 'client_id' && field !== 'endpoint');
  const { client_id, endpoint } = row;
  const remove = (field: string) => (
    <RemoveAttribute
      name={field}
      of={endpoint}
      send={() => api.send('setLimits', { client_id }, { endpoint, remove: [field] })}
    />
  );
  return (
    <>
      {row.faults.map(({ field, value, message }) => (
        <Warning key={field}>
          {isCorrectable ? `${field} “${value}”: ` : ''}
          {message} {isCorrectable ? remove(field) : null}
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
