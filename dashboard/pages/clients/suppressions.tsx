/** The recipients to whom a client's messages are not sent: found by number, added, removed, and saved as CSV. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { SuppressionView } from '../../../shared/message/suppression/suppression-response.schema.ts';
import { useAnswer } from '../../api/queries.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import type { CsvColumns } from '../../components/download.ts';
import { type Column, List } from '../../components/list.tsx';
import { withoutSeparators } from '../../components/phone-number.ts';
import { scopeNames, sourceNames } from '../../components/reachability.tsx';
import { SearchForm } from '../../components/search-form.tsx';
import { Time } from '../../components/time.tsx';
import { useDashboard } from '../../context.ts';
import { linkTo, useListState } from '../../route.ts';
import { NewSuppression } from './add-suppression.tsx';

export function Suppressions({ clientId }: { readonly clientId: string }) {
  const { api, notify } = useDashboard();
  const { filter, cursor, change } = useListState();
  const recipient = filter('recipient');
  const client = { client_id: clientId };
  const query = useAnswer('listSuppressions', client, { recipient, cursor });
  const [isAdding, setIsAdding] = useState(false);
  const [removing, setRemoving] = useState<string>();
  const remove = useMutation({
    mutationFn: (number: string) => api.send('deleteSuppression', { client_id: clientId, recipient: number }),
    onSuccess: (_answer, number) => notify('success', `Messages to ${number} are sent again.`),
    onSettled: () => setRemoving(undefined),
  });
  return (
    <>
      <List<SuppressionView>
        title="Suppressions"
        description="Messages to these numbers fail with recipient_opted_out before they reach the carrier."
        actions={<Button onClick={() => setIsAdding(true)}>Add suppression</Button>}
        filter={
          <SearchForm
            key={recipient}
            label="Recipient"
            placeholder="+44…"
            value={recipient}
            onSearch={(text) => change({ recipient: withoutSeparators(text) })}
          />
        }
        columns={[
          {
            id: 'recipient',
            header: 'Recipient',
            minWidth: 150,
            isRowHeader: true,
            cell: (row) => (
              <Link
                href={linkTo('conversation', undefined, { client_id: clientId, recipient: row.recipient })}
              >
                {row.recipient}
              </Link>
            ),
          },
          ...columns,
          {
            id: 'remove',
            header: 'Action',
            minWidth: 110,
            cell: (row) => (
              <Button
                variant="inline-link"
                ariaLabel={`Remove ${row.recipient}`}
                onClick={() => setRemoving(row.recipient)}
              >
                Remove
              </Button>
            ),
          },
        ]}
        rows={query.data?.suppressions}
        query={query}
        nextCursor={query.data?.next_cursor}
        isCounted
        csv={{
          name: `suppressions-of-${clientId}`,
          columns: csvColumns,
          readPage: async (page) => {
            const read = await api.get('listSuppressions', client, { recipient, ...page });
            return { rows: read.suppressions, next: read.next_cursor };
          },
        }}
        emptyTitle="No suppressions"
        empty="Nobody has opted out of this client's messages."
        isFiltered={recipient !== ''}
        idOf={(row) => row.recipient}
      />
      {isAdding ? (
        <NewSuppression
          clientId={clientId}
          recipient={query.data?.suppressions.length === 0 ? recipient : ''}
          onDone={() => setIsAdding(false)}
        />
      ) : null}
      {removing === undefined ? null : (
        <ConfirmDialog
          title={`Send to ${removing} again?`}
          text="Messages to this number will reach the carrier again. Remove a suppression only with the recipient's consent: in most countries it is illegal to send to a person who has opted out."
          action="Remove suppression"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(removing)}
          onDismiss={() => setRemoving(undefined)}
        />
      )}
    </>
  );
}

/** The most important first: a narrow window shows one or two of them. */
const columns: readonly Column<SuppressionView>[] = [
  {
    id: 'why',
    header: 'Suppressed by',
    minWidth: 170,
    cell: ({ source, reason }) => (
      <>
        {sourceNames[source]}
        {reason === null ? null : (
          <Box color="text-body-secondary" fontSize="body-s">
            <span className="written" dir="auto">
              {reason}
            </span>
          </Box>
        )}
      </>
    ),
  },
  { id: 'scope', header: 'Scope', minWidth: 170, cell: ({ scope }) => scopeNames[scope] },
  { id: 'since', header: 'Since', minWidth: 150, cell: ({ created_at }) => <Time at={created_at} /> },
];

const csvColumns = {
  recipient: (row) => row.recipient,
  scope: (row) => row.scope,
  reason: (row) => row.reason,
  source: (row) => row.source,
  created_at: (row) => row.created_at,
  updated_at: (row) => row.updated_at,
} as const satisfies CsvColumns<SuppressionView>;
