/** Shows loaded data, an indicator before the first data, and an error with a button to try again. */
import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { clock, Secondary } from './text.tsx';

export function Loaded<Data>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}) {
  return (
    <SpaceBetween size="l">
      <LoadFailure query={query} />
      {query.data === undefined ? query.isPending && <Waiting /> : children(query.data)}
    </SpaceBetween>
  );
}

export function Waiting() {
  return (
    <Box textAlign="center" padding="xxl">
      <StatusIndicator type="loading">Loading</StatusIndicator>
    </Box>
  );
}

export function LoadFailure({ query }: { readonly query: UseQueryResult }) {
  if (query.error === null) return null;
  const isStale = query.data !== undefined;
  return (
    <Alert
      type={isStale ? 'warning' : 'error'}
      header={isStale ? 'This data could not be refreshed' : 'This data could not be loaded'}
      action={
        <Button loading={query.isFetching} onClick={() => void query.refetch()}>
          Retry
        </Button>
      }
    >
      {query.error.message} {isStale ? `It was loaded at ${timeOf(query.dataUpdatedAt)}.` : null}
    </Alert>
  );
}

/** Shows the time of the last load, and a refresh button. The button keeps its place and its focus. */
export function Refresh({
  query,
  others = [],
}: {
  readonly query: UseQueryResult;
  /** Refreshed together with `query`. */
  readonly others?: readonly UseQueryResult[];
}) {
  const [isBusy, setIsBusy] = useState(false);
  const refresh = async (): Promise<void> => {
    setIsBusy(true);
    await Promise.all([query, ...others].map((one) => one.refetch()));
    setIsBusy(false);
  };
  // The query cannot be sent yet.
  if (!query.isEnabled) return null;
  return (
    <SpaceBetween direction="horizontal" size="xs" alignItems="center">
      {query.dataUpdatedAt === 0 ? null : <Secondary>Updated {timeOf(query.dataUpdatedAt)}</Secondary>}
      <Button iconName="refresh" ariaLabel="Refresh" loading={isBusy} onClick={() => void refresh()} />
    </SpaceBetween>
  );
}

const format = new Intl.DateTimeFormat(undefined, { ...clock, timeZoneName: 'short' });

function timeOf(at: number): string {
  return format.format(at);
}
