/** The suppressed recipients of a client: search by number, add, remove, download as CSV. */
import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import { useState } from 'react';
import type { SuppressionView } from '../../../shared/message/message-response.schema.ts';
import { usePagedAnswer } from '../../api/queries.ts';
import type { Column } from '../../components/columns.ts';
import { NumberSearch } from '../../components/filters.tsx';
import { FormDialog, Optional, useConfirm, useForm } from '../../components/form.tsx';
import { RadioField, TextField } from '../../components/form-fields.tsx';
import { List, RowAction } from '../../components/list.tsx';
import { scopeNames, sourceNames } from '../../components/reachability.tsx';
import { Secondary, Written } from '../../components/text.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { linkTo, useListState } from '../../route.ts';

export function Suppressions({ clientId }: { readonly clientId: string }) {
  const { api } = useDashboard();
  const recipient = useListState().filter('recipient');
  const list = usePagedAnswer('listSuppressions', { client_id: clientId }, { recipient }, 'suppressions');
  const [isAdding, setIsAdding] = useState(false);
  const { confirm, dialog } = useConfirm();
  const remove = (number: string): void =>
    confirm({
      title: `Send to ${number} again?`,
      text: "Messages to this number will reach the carrier again. Remove a suppression only with the recipient's consent: in most countries it is illegal to send to a person who has opted out.",
      action: 'Remove suppression',
      work: () => api.send('deleteSuppression', { client_id: clientId, recipient: number }),
      done: `Messages to ${number} are sent again.`,
    });
  return (
    <>
      <List
        {...list}
        title="Suppressions"
        description="Messages to these numbers fail with recipient_opted_out before they reach the carrier."
        actions={<Button onClick={() => setIsAdding(true)}>Add suppression</Button>}
        filter={<NumberSearch label="Recipient" name="recipient" />}
        columns={columnsOf(clientId, remove)}
        emptyTitle="No suppressions"
        empty="Nobody has opted out of this client's messages."
        isFiltered={recipient !== ''}
        idOf={(row) => row.recipient}
      />
      {isAdding ? (
        <AddSuppression
          clientId={clientId}
          recipient={list.rows?.length === 0 ? recipient : ''}
          onClose={() => setIsAdding(false)}
        />
      ) : null}
      {dialog}
    </>
  );
}

function columnsOf(clientId: string, remove: (number: string) => void): readonly Column<SuppressionView>[] {
  return [
    {
      title: 'Recipient',
      field: 'recipient',
      minWidth: 150,
      cell: ({ recipient, recipient_type }) => (
        <>
          <Link href={linkTo('messages', undefined, { client_id: clientId, recipient })}>{recipient}</Link>
          {recipient_type === undefined ? null : <Secondary>WhatsApp user</Secondary>}
        </>
      ),
    },
    {
      title: 'Suppressed by',
      field: 'source',
      minWidth: 170,
      cell: ({ source, reason }) => (
        <>
          {sourceNames[source]}
          <Secondary>
            <Written text={reason} />
          </Secondary>
        </>
      ),
    },
    { title: 'Scope', field: 'scope', minWidth: 170, cell: ({ scope }) => scopeNames[scope] },
    { title: 'Since', field: 'created_at', minWidth: 150, isTime: true },
    {
      title: 'Action',
      minWidth: 110,
      cell: ({ recipient }) => <RowAction text="Remove" of={recipient} onClick={() => remove(recipient)} />,
    },
  ];
}

const scopeOptions = Object.entries(scopeNames).map(([value, label]) => ({ value, label }));

/**
 * The dialog that adds a suppression: number, scope and reason. If the number is already suppressed, it changes the scope and
 * the reason.
 */
function AddSuppression({
  clientId,
  recipient,
  onClose,
}: {
  readonly clientId: string;
  /** The initial value of the field. */
  readonly recipient: string;
  readonly onClose: () => void;
}) {
  const { api, notify } = useDashboard();
  const form = useForm({
    first: { recipient, scope: 'messages', reason: '' },
    send: (entered) => {
      const path = { client_id: clientId, recipient: entered.recipient };
      const reason = entered.reason.trim();
      return api.send('putSuppression', path, { scope: entered.scope, ...(reason === '' ? {} : { reason }) });
    },
    onSent: (added) => notify('success', `${added.recipient} is suppressed.`),
    onClose,
  });
  const isComplete = form.values.recipient.trim() !== '';
  return (
    <FormDialog title="Add suppression" action="Add" form={form} isComplete={isComplete}>
      <TextField
        {...form.field('recipient')}
        label="Recipient"
        inputMode="tel"
        placeholder="+44…"
        autoFocus
      />
      <RadioField {...form.field('scope')} label="Do not send" options={scopeOptions} />
      <TextField {...form.field('reason')} label={<Optional>Reason</Optional>} />
    </FormDialog>
  );
}
