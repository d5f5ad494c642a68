/** Activity Logs: failed webhooks by default, other kinds by a filter. Webhooks can be resent. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import type { ActivityKind } from '../../../shared/activity/activity-log.ts';
import type { ActivityView } from '../../../shared/admin/activity.ts';
import { usePagedAnswer } from '../../api/queries.ts';
import { ChoiceField } from '../../components/choice-field.tsx';
import { useClientFilter } from '../../components/client-filter.tsx';
import { ClientLink } from '../../components/client-name.tsx';
import { type Column, csvOnly } from '../../components/columns.ts';
import { useConfirm } from '../../components/confirm-dialog.tsx';
import { Fields, Filters } from '../../components/filters.tsx';
import { List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { useResend } from '../../components/resend.ts';
import { State } from '../../components/state.tsx';
import { TimeFilter } from '../../components/time-filter.tsx';
import { withStart } from '../../components/time-range.ts';
import { linkTo, useListState } from '../../route.ts';
import { valueText } from '../../value-names.ts';
import { useResendAll } from './resend-all.ts';

const kinds: Readonly<Record<ActivityKind | 'all', string>> = {
  webhook_failed: 'Failed webhooks',
  all: 'All activity',
  webhook_resent: 'Webhooks resent',
  webhooks_resent: 'Many webhooks resent',
  client_created: 'Clients created',
  entry_refused: 'Processing failures',
  client_disabled: 'Clients disabled',
  client_enabled: 'Clients enabled',
  client_secret_rotated: 'Client secrets rotated',
  client_secret_ended: 'Previous client secrets ended',
  webhook_secret_rotated: 'Webhook secrets rotated',
  webhook_url_changed: 'Webhook URLs changed',
  webhook_endpoint_created: 'Webhook endpoints created',
  webhook_endpoint_changed: 'Webhook endpoints changed',
  webhook_endpoint_deleted: 'Webhook endpoints deleted',
  webhook_endpoint_disabled: 'Webhook endpoints disabled',
  webhook_endpoint_secret_rotated: 'Webhook endpoint secrets rotated',
  webhook_test_sent: 'Test events sent',
  permissions_changed: 'Countries and senders changed',
  api_key_created: 'API keys created',
  api_key_revoked: 'API keys revoked',
  inbound_unassigned: 'Inbound messages of no client',
  suppression_changed: 'Suppressions changed',
  limits_set: 'Limits set',
  limits_removed: 'Limits removed',
  sender_set: 'Sender changed',
  sender_removed: 'Sender removed',
  spend_cap_nearly_reached: 'Spend caps nearly reached',
  spend_cap_reached: 'Spend caps reached',
  otp_held: 'One-time passwords held',
  otp_allowed: 'One-time passwords allowed',
};

const kindOptions = Object.entries(kinds).map(([value, label]) => ({ value, label }));

export function ActivityPage() {
  const { filters, isFiltered, cursors, selected, change } = useListState();
  const kind =
    (Object.keys(kinds) as (keyof typeof kinds)[]).find((name) => name === filters.kind) ?? 'webhook_failed';
  const client = useClientFilter();
  const list = usePagedAnswer(
    'listActivity',
    {},
    { ...filters, kind: kind === 'all' ? undefined : kind },
    ({ entries, next_cursor }) => ({ rows: entries, nextCursor: next_cursor }),
    { sent: withStart, inProgress: ({ entries }) => entries.some(isUnfinished) },
  );
  const resend = useResend();
  const resendAll = useResendAll(list.readPage);
  const { confirm, dialog } = useConfirm();
  // While the user types, the old client's entries must not be shown or resent.
  const entries = client.isTyping ? undefined : list.rows;
  const ids = entries?.filter((entry) => selected.includes(entry.entry_id) && isSelectable(entry));

  return (
    <Page title="Activity Logs">
      {resendAll.progress === undefined ? null : (
        <Box padding={{ bottom: 'm' }}>
          <StatusIndicator type="in-progress">
            {`${resendAll.progress.done} of ${resendAll.progress.total} webhooks resent. Keep this page open.`}
          </StatusIndicator>
        </Box>
      )}
      <List
        {...list}
        title={kinds[kind]}
        actions={
          <SpaceBetween direction="horizontal" size="xs">
            <Button
              disabled={ids === undefined || ids.length === 0}
              loading={resend.isPending}
              onClick={() =>
                resend.mutate([...new Set(ids?.flatMap(({ delivery_id }) => delivery_id ?? []))], {
                  onSuccess: () => change({ after: cursors }, { replace: true }),
                })
              }
            >
              Resend
            </Button>
            {kind === 'webhook_failed' ? (
              <Button
                disabled={entries === undefined || entries.length === 0}
                loading={resendAll.isPending}
                onClick={() =>
                  confirm({
                    title: 'Resend all failed webhooks?',
                    text: isFiltered
                      ? 'All that match the filters on this page are sent again, also those on other pages. Webhooks that have been acknowledged since are left out.'
                      : 'All failed webhooks of all clients are sent again. Webhooks that have been acknowledged since are left out.',
                    action: 'Resend',
                    // The page shows how far it is.
                    work: async () => resendAll.mutate(),
                  })
                }
              >
                Resend all
              </Button>
            ) : null}
          </SpaceBetween>
        }
        filter={
          <Filters>
            <Fields perRow={3}>
              <ChoiceField
                label="Type"
                value={kind}
                options={kindOptions}
                onChange={(value) => change({ kind: value })}
              />
              {client.field}
              <TimeFilter />
            </Fields>
          </Filters>
        }
        columns={[...columns, lastColumnOf(kind)]}
        rows={entries}
        isCounted
        csvName="activity"
        empty={kind === 'webhook_failed' ? 'No webhook has failed.' : 'Nothing was logged.'}
        isFiltered={isFiltered}
        idOf={(entry) => entry.entry_id}
        selection={{
          isDisabled: (entry) => !isSelectable(entry),
          labelOf: (entry) => `Select ${entry.summary}`,
        }}
      />
      {dialog}
    </Page>
  );
}

const columns: readonly Column<ActivityView>[] = [
  {
    title: 'Activity',
    field: 'summary',
    minWidth: 150,
    cell: (entry) => {
      const href = subjectOf(entry);
      const text = <span className="id">{entry.summary}</span>;
      return href === undefined ? text : <Link href={href}>{text}</Link>;
    },
  },
  {
    title: 'Current status',
    minWidth: 125,
    cell: ({ delivery }) => (delivery === undefined ? '–' : <State of={delivery.state} />),
    csv: { delivery_status: ({ delivery }) => delivery?.state },
  },
  {
    title: 'Client',
    field: 'client_id',
    minWidth: 170,
    cell: ({ client_id }) => <ClientLink id={client_id} />,
  },
  { title: 'Time', field: 'at', minWidth: 150, isTime: true },
  ...csvOnly<ActivityView>('kind', 'actor', 'delivery_id', 'message_id'),
  { csv: { endpoint: ({ delivery }) => delivery?.url } },
];

/** Webhooks have a destination; all other activities a change. */
function lastColumnOf(kind: string): Column<ActivityView> {
  return kind === 'webhook_failed' || kind === 'webhook_resent'
    ? {
        title: 'Endpoint',
        minWidth: 180,
        cell: ({ delivery }) => <span className="id">{delivery?.url ?? '–'}</span>,
      }
    : { title: 'Changes', minWidth: 180, cell: (entry) => <Change entry={entry} /> };
}

/** The page of what the entry is about: the webhook, or an inbound message. */
function subjectOf({ delivery_id, kind, message_id }: ActivityView): string | undefined {
  if (delivery_id !== undefined) return linkTo('webhooks', delivery_id);
  return kind === 'inbound_unassigned' && message_id !== undefined
    ? linkTo('messages', message_id)
    : undefined;
}

function Change({ entry }: { readonly entry: ActivityView }) {
  if (entry.before === undefined && entry.after === undefined) return <>–</>;
  const names = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])];
  const changed = names.filter(
    (name) => JSON.stringify(entry.before?.[name]) !== JSON.stringify(entry.after?.[name]),
  );
  const recipient = entry.after?.recipient;
  return (
    <Box fontSize="body-s">
      {typeof recipient === 'string' ? <div className="id">{recipient}</div> : null}
      {changed.map((name) => (
        <div key={name} className="id">
          {name.replaceAll('_', ' ')}: {valueText(entry.before?.[name])} → {valueText(entry.after?.[name])}
        </div>
      ))}
    </Box>
  );
}

function isUnfinished({ delivery }: ActivityView): boolean {
  return delivery !== undefined && delivery.state !== 'failed' && delivery.state !== 'acknowledged';
}

function isSelectable(entry: ActivityView): boolean {
  return entry.delivery !== undefined && !isUnfinished(entry);
}
