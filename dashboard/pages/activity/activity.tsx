/** Activity Logs: failed webhooks by default, other kinds by a filter. Webhooks can be resent. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Grid from '@cloudscape-design/components/grid';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useState } from 'react';
import type { ActivityKind } from '../../../shared/activity/activity-log.ts';
import type { ActivityView } from '../../../shared/admin/activity.ts';
import { useAnswer } from '../../api/queries.ts';
import { ChoiceField } from '../../components/choice-field.tsx';
import { ClientField, ClientLink } from '../../components/client-name.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type CsvColumns, longestPage, type ReadPage } from '../../components/download.ts';
import { Filters } from '../../components/filters.tsx';
import { type Column, List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { useResend, useResendAll } from '../../components/resend.ts';
import { State } from '../../components/state.tsx';
import { Time } from '../../components/time.tsx';
import { TimeRange, timesIn, withStart } from '../../components/time-range.tsx';
import { useTypedText } from '../../components/typed-text.ts';
import { useDashboard } from '../../context.ts';
import { linkTo, useListState } from '../../route.ts';

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
  const { filter, isFiltered, cursors, cursor, selected, change } = useListState();
  const kind =
    (Object.keys(kinds) as (keyof typeof kinds)[]).find((name) => name === filter('kind')) ??
    'webhook_failed';
  const client = useTypedText(filter('client_id'), (text) => change({ client_id: text }, { replace: true }));
  const filters = {
    kind: kind === 'all' ? undefined : kind,
    client_id: filter('client_id'),
    ...timesIn(filter),
  };
  const query = useAnswer(
    'listActivity',
    {},
    { ...filters, cursor },
    { sent: withStart, inProgress: ({ entries }) => entries.some(isUnfinished) },
  );
  const { api } = useDashboard();
  const resend = useResend();
  const readPage: ReadPage<ActivityView> = async (page) => {
    const read = await api.get('listActivity', {}, { ...withStart(filters), ...page });
    return { rows: read.entries, next: read.next_cursor };
  };
  const resendAll = useResendAll(() => failedIn(readPage));
  const [isAsking, setIsAsking] = useState(false);
  // While the user types, the old client's entries must not be shown or resent.
  const entries = client.isTyping ? undefined : query.data?.entries;
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
      <List<ActivityView>
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
                onClick={() => setIsAsking(true)}
              >
                Resend all
              </Button>
            ) : null}
          </SpaceBetween>
        }
        filter={
          <Filters>
            <Grid gridDefinition={Array.from({ length: 3 }, () => ({ colspan: { default: 12, s: 4 } }))}>
              <ChoiceField
                label="Type"
                value={kind}
                options={kindOptions}
                onChange={(value) => change({ kind: value })}
              />
              <ClientField value={client.text} onChange={client.setText} />
              <TimeRange />
            </Grid>
          </Filters>
        }
        columns={columnsOf(kind)}
        rows={entries}
        query={query}
        nextCursor={query.data?.next_cursor}
        isCounted
        csv={{ name: 'activity', columns: csvColumns, readPage }}
        empty={kind === 'webhook_failed' ? 'No webhook has failed.' : 'Nothing was logged.'}
        isFiltered={isFiltered}
        idOf={(entry) => entry.entry_id}
        selection={{
          isDisabled: (entry) => !isSelectable(entry),
          labelOf: (entry) => `Select ${entry.summary}`,
        }}
      />
      {isAsking ? (
        <ConfirmDialog
          title="Resend all failed webhooks?"
          text={
            isFiltered
              ? 'All that match the filters on this page are sent again, also those on other pages. Webhooks that have been acknowledged since are left out.'
              : 'All failed webhooks of all clients are sent again. Webhooks that have been acknowledged since are left out.'
          }
          action="Resend"
          isBusy={false}
          onConfirm={() => {
            setIsAsking(false);
            resendAll.mutate();
          }}
          onDismiss={() => setIsAsking(false)}
        />
      ) : null}
    </Page>
  );
}

/** The most important first: a narrow window shows one or two of them. */
const columns: readonly Column<ActivityView>[] = [
  {
    id: 'summary',
    header: 'Activity',
    minWidth: 150,
    isRowHeader: true,
    cell: (entry) => {
      const href = subjectOf(entry);
      return href === undefined ? entry.summary : <Link href={href}>{entry.summary}</Link>;
    },
  },
  {
    id: 'now',
    header: 'Current status',
    minWidth: 125,
    cell: (entry) => (entry.delivery === undefined ? '–' : <State of={entry.delivery.state} />),
  },
  {
    id: 'client',
    header: 'Client',
    minWidth: 170,
    cell: (entry) => (entry.client_id === undefined ? '–' : <ClientLink id={entry.client_id} />),
  },
  { id: 'at', header: 'Time', minWidth: 150, cell: (entry) => <Time at={entry.at} /> },
];

/** The page of what the entry is about: the webhook, or an inbound message. */
function subjectOf({ delivery_id, kind, message_id }: ActivityView): string | undefined {
  if (delivery_id !== undefined) return linkTo('webhooks', delivery_id);
  return kind === 'inbound_unassigned' && message_id !== undefined
    ? linkTo('messages', message_id)
    : undefined;
}

const csvColumns = {
  at: (entry) => entry.at,
  kind: (entry) => entry.kind,
  summary: (entry) => entry.summary,
  client_id: (entry) => entry.client_id,
  actor: (entry) => entry.actor,
  delivery_id: (entry) => entry.delivery_id,
  delivery_status: (entry) => entry.delivery?.state,
  endpoint: (entry) => entry.delivery?.url,
  message_id: (entry) => entry.message_id,
} as const satisfies CsvColumns<ActivityView>;

const destination: Column<ActivityView> = {
  id: 'to',
  header: 'Endpoint',
  minWidth: 180,
  cell: (entry) => <span className="id">{entry.delivery?.url ?? '–'}</span>,
};

const change: Column<ActivityView> = {
  id: 'change',
  header: 'Changes',
  minWidth: 180,
  cell: (entry) => <Change entry={entry} />,
};

/** Webhooks have a destination; all other activities a change. */
function columnsOf(kind: string): readonly Column<ActivityView>[] {
  return [...columns, kind === 'webhook_failed' || kind === 'webhook_resent' ? destination : change];
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
        <div key={name}>
          {name.replaceAll('_', ' ')}: {shown(entry.before?.[name])} → {shown(entry.after?.[name])}
        </div>
      ))}
    </Box>
  );
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'number' ? value.toLocaleString() : String(value);
}

const resentAtOnceMax = 1000;
const pagesMax = 50;

/** The webhooks in these entries that are failed now; `isAll` is false if there may be more. */
async function failedIn(readPage: ReadPage<ActivityView>) {
  const ids = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < pagesMax && ids.size < resentAtOnceMax; pages += 1) {
    const { rows, next } = await readPage(longestPage(cursor));
    for (const { delivery } of rows) if (delivery?.state === 'failed') ids.add(delivery.delivery_id);
    cursor = next;
    if (cursor === undefined) break;
  }
  return { ids: [...ids], isAll: cursor === undefined };
}

function isUnfinished({ delivery }: ActivityView): boolean {
  return delivery !== undefined && delivery.state !== 'failed' && delivery.state !== 'acknowledged';
}

function isSelectable(entry: ActivityView): boolean {
  return entry.delivery !== undefined && !isUnfinished(entry);
}
