/** Activity Logs: failed webhooks by default, other kinds by a filter. Webhooks can be resent. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ContentLayout from '@cloudscape-design/components/content-layout';
import DateRangePicker, { type DateRangePickerProps } from '@cloudscape-design/components/date-range-picker';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Link from '@cloudscape-design/components/link';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { ActivityKind } from '../../shared/activity/activity-log.ts';
import type { ActivityList, ActivityView, ResendResult } from '../../shared/admin/webhooks.ts';
import { sentence, useDebounced, usePaged, useRefresh } from '../api/use-loading.ts';
import { IdLink } from '../components/id-link.tsx';
import { List } from '../components/list.tsx';
import { resendNotice } from '../components/resend-notice.ts';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { useDashboard } from '../context.ts';
import { linkTo } from '../route.ts';

const kinds: Readonly<Record<ActivityKind | 'all', string>> = {
  webhook_failed: 'Failed webhooks',
  all: 'All',
  webhook_resent: 'Webhooks resent',
  client_created: 'Clients created',
  entry_refused: 'Refused by a service',
  client_disabled: 'Clients disabled',
  client_enabled: 'Clients enabled',
  client_secret_rotated: 'New client secrets',
  webhook_secret_rotated: 'New webhook secrets',
  webhook_url_changed: 'Webhook URLs changed',
  permissions_changed: 'Countries and senders changed',
  api_key_created: 'API keys created',
  api_key_revoked: 'API keys revoked',
  limits_set: 'Limits set',
  limits_removed: 'Limits removed',
};

const kindOptions = Object.entries(kinds).map(([value, label]) => ({ value, label }));

export function ActivityPage({ query }: { readonly query: URLSearchParams }) {
  const { api, notify } = useDashboard();
  const [kind, setKind] = useState(query.get('kind') ?? 'webhook_failed');
  const [clientId, setClientId] = useState(query.get('client_id') ?? '');
  const [range, setRange] = useState<DateRangePickerProps.Value | null>(null);
  const [selected, setSelected] = useState<readonly ActivityView[]>([]);
  const [sending, setSending] = useState(false);

  const client = useDebounced(clientId.trim());
  const list = usePaged<ActivityList>(`${kind}|${client}|${JSON.stringify(range)}`, (cursor) =>
    api.get('/activity', {
      kind: kind === 'all' ? undefined : kind,
      client_id: client,
      cursor,
      ...timesOf(range),
    }),
  );
  // While the user types, the old client's entries must not be shown or resent.
  const isTyping = client !== clientId.trim();
  const entries = isTyping ? undefined : list.data?.entries;
  useRefresh(entries?.some(isInProgress) ?? false, list.reload);

  const resend = async (): Promise<void> => {
    setSending(true);
    try {
      const ids = [...new Set(selected.map((entry) => entry.delivery_id))];
      const { results } = await api.send<{ results: ResendResult[] }>('POST', '/webhooks/resend', {
        delivery_ids: ids,
      });
      const { type, text } = resendNotice(results);
      notify(type, text);
      setSelected([]);
      list.reload();
    } catch (error) {
      notify('error', sentence(error));
    } finally {
      setSending(false);
    }
  };

  return (
    <ContentLayout header={<Header variant="h1">Activity Logs</Header>}>
      <List<ActivityView>
        label="Activity"
        header={
          <Header
            variant="h2"
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <Button iconName="refresh" ariaLabel="Refresh" onClick={list.reload} />
                <Button disabled={selected.length === 0} loading={sending} onClick={() => void resend()}>
                  Resend
                </Button>
              </SpaceBetween>
            }
          >
            {kinds[kind as ActivityKind] ?? kinds.all}
          </Header>
        }
        filter={
          <Grid
            gridDefinition={[
              { colspan: { default: 12, s: 4 } },
              { colspan: { default: 12, s: 4 } },
              { colspan: { default: 12, s: 4 } },
            ]}
          >
            <FormField label="Kind">
              <Select
                selectedOption={kindOptions.find(({ value }) => value === kind) ?? null}
                options={kindOptions}
                onChange={({ detail }) => {
                  setKind(detail.selectedOption.value ?? 'all');
                  setSelected([]);
                }}
              />
            </FormField>
            <FormField label="Client">
              <Input
                type="search"
                placeholder="Id or name"
                value={clientId}
                onChange={({ detail }) => {
                  setClientId(detail.value);
                  setSelected([]);
                }}
              />
            </FormField>
            <FormField label="Time">
              <DateRangePicker
                value={range}
                placeholder="Any time"
                relativeOptions={[
                  { key: 'hour', amount: 1, unit: 'hour', type: 'relative' },
                  { key: 'day', amount: 24, unit: 'hour', type: 'relative' },
                  { key: 'week', amount: 7, unit: 'day', type: 'relative' },
                ]}
                isValidRange={() => ({ valid: true })}
                onChange={({ detail }) => {
                  setRange(detail.value);
                  setSelected([]);
                }}
              />
            </FormField>
          </Grid>
        }
        columns={columnsOf(kind)}
        rows={entries}
        loading={list.loading || isTyping}
        error={isTyping ? undefined : list.error}
        onRetry={list.reload}
        empty={kind === 'webhook_failed' ? 'No webhook has failed.' : 'There is no activity of this kind.'}
        idOf={(entry) => entry.entry_id}
        pages={list.pages}
        selection={{
          selected,
          onSelect: setSelected,
          isDisabled: (entry) => entry.delivery === undefined || isInProgress(entry),
          labelOf: (entry) => `Select ${entry.summary}`,
        }}
      />
    </ContentLayout>
  );
}

const columns: readonly TableProps.ColumnDefinition<ActivityView>[] = [
  { id: 'at', header: 'Time', minWidth: 170, cell: (entry) => <Time at={entry.at} /> },
  {
    id: 'summary',
    header: 'Activity',
    minWidth: 260,
    isRowHeader: true,
    cell: (entry) =>
      entry.delivery_id === undefined ? (
        entry.summary
      ) : (
        <Link href={linkTo('webhooks', entry.delivery_id)}>{entry.summary}</Link>
      ),
  },
  {
    id: 'now',
    header: 'Current state',
    minWidth: 180,
    cell: (entry) => (entry.delivery === undefined ? '–' : <State of={entry.delivery.state} />),
  },
  {
    id: 'client',
    header: 'Client',
    minWidth: 150,
    cell: (entry) => (entry.client_id === undefined ? '–' : <IdLink page="clients" id={entry.client_id} />),
  },
];

const destination: TableProps.ColumnDefinition<ActivityView> = {
  id: 'to',
  header: 'To',
  minWidth: 200,
  cell: (entry) => <span className="id">{entry.delivery?.url ?? '–'}</span>,
};

const change: TableProps.ColumnDefinition<ActivityView> = {
  id: 'change',
  header: 'Before and after',
  minWidth: 200,
  cell: (entry) => <Change entry={entry} />,
};

/** Webhooks have a destination; all other activities a change. */
function columnsOf(kind: string): readonly TableProps.ColumnDefinition<ActivityView>[] {
  return [...columns, kind === 'webhook_failed' || kind === 'webhook_resent' ? destination : change];
}

function Change({ entry }: { readonly entry: ActivityView }) {
  if (entry.before === undefined && entry.after === undefined) return <>–</>;
  const names = [...new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])];
  const changed = names.filter(
    (name) => JSON.stringify(entry.before?.[name]) !== JSON.stringify(entry.after?.[name]),
  );
  return (
    <Box fontSize="body-s">
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
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function isInProgress({ delivery }: ActivityView): boolean {
  return delivery !== undefined && delivery.state !== 'failed' && delivery.state !== 'acknowledged';
}

const secondsPerUnit: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000,
};

function timesOf(range: DateRangePickerProps.Value | null): { since?: string; until?: string } {
  if (range === null) return {};
  if (range.type === 'absolute') {
    return { since: new Date(range.startDate).toISOString(), until: new Date(range.endDate).toISOString() };
  }
  const seconds = range.amount * (secondsPerUnit[range.unit] ?? 0);
  return { since: new Date(Date.now() - seconds * 1000).toISOString() };
}
