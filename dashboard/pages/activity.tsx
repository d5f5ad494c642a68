/** Activity Logs: failed webhooks by default, other kinds by a filter. Webhooks can be resent. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import DateRangePicker, { type DateRangePickerProps } from '@cloudscape-design/components/date-range-picker';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import Input from '@cloudscape-design/components/input';
import Link from '@cloudscape-design/components/link';
import Select from '@cloudscape-design/components/select';
import type { TableProps } from '@cloudscape-design/components/table';
import { useEffect, useState } from 'react';
import type { ActivityKind } from '../../shared/activity/activity-log.ts';
import type { ActivityView } from '../../shared/admin/webhooks.ts';
import type { Query } from '../api/client.ts';
import { useAnswer } from '../api/queries.ts';
import { IdLink } from '../components/id-link.tsx';
import { List } from '../components/list.tsx';
import { Page } from '../components/page.tsx';
import { useResend } from '../components/resend.ts';
import { State } from '../components/state.tsx';
import { Time } from '../components/time.tsx';
import { linkTo, useListState } from '../route.ts';

const kinds: Readonly<Record<ActivityKind | 'all', string>> = {
  webhook_failed: 'Failed webhooks',
  all: 'All activity',
  webhook_resent: 'Webhooks resent',
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
  permissions_changed: 'Countries and senders changed',
  api_key_created: 'API keys created',
  api_key_revoked: 'API keys revoked',
  limits_set: 'Limits set',
  limits_removed: 'Limits removed',
  spend_cap_nearly_reached: 'Spend caps at 80 %',
  spend_cap_reached: 'Spend caps reached',
};

const kindOptions = Object.entries(kinds).map(([value, label]) => ({ value, label }));

export function ActivityPage() {
  const { query: asked, isFiltered, change } = useListState();
  const of = (name: string): string => asked.get(name) ?? '';
  const kind = Object.hasOwn(kinds, of('kind')) ? (of('kind') as keyof typeof kinds) : 'webhook_failed';
  const client = useTypedText(of('client_id'), (text) => change({ client_id: text }, { replace: true }));
  const range = rangeOf(asked);
  const query = useAnswer<'listActivity'>(
    '/activity',
    {
      kind: kind === 'all' ? undefined : kind,
      client_id: of('client_id'),
      last: of('last'),
      since: of('since'),
      until: of('until'),
      cursor: asked.getAll('after').at(-1),
    },
    { sent: withStart, inProgress: ({ entries }) => entries.some(isUnfinished) },
  );
  const resend = useResend();
  // While the user types, the old client's entries must not be shown or resent.
  const entries = client.isTyping ? undefined : query.data?.entries;
  const selected = asked.getAll('selected');
  const ids = entries?.filter((entry) => selected.includes(entry.entry_id) && isSelectable(entry));

  return (
    <Page title="Activity Logs">
      <List<ActivityView>
        title={kinds[kind]}
        actions={
          <Button
            disabled={ids === undefined || ids.length === 0}
            loading={resend.isPending}
            onClick={() =>
              resend.mutate([...new Set(ids?.flatMap(({ delivery_id }) => delivery_id ?? []))], {
                onSuccess: () => change({ after: asked.getAll('after') }, { replace: true }),
              })
            }
          >
            Resend
          </Button>
        }
        filter={
          <Grid gridDefinition={Array.from({ length: 3 }, () => ({ colspan: { default: 12, s: 4 } }))}>
            <FormField label="Type">
              <Select
                selectedOption={kindOptions.find(({ value }) => value === kind) ?? null}
                options={kindOptions}
                onChange={({ detail }) => change({ kind: detail.selectedOption.value ?? '' })}
              />
            </FormField>
            <FormField label="Client">
              <Input
                type="search"
                placeholder="Id or name"
                value={client.text}
                onChange={({ detail }) => client.setText(detail.value)}
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
                onChange={({ detail }) => change(filtersOf(detail.value))}
              />
            </FormField>
          </Grid>
        }
        columns={columnsOf(kind)}
        rows={entries}
        query={query}
        nextCursor={query.data?.next_cursor}
        empty={kind === 'webhook_failed' ? 'No webhook has failed.' : 'Nothing was logged.'}
        isFiltered={isFiltered}
        idOf={(entry) => entry.entry_id}
        selection={{
          isDisabled: (entry) => !isSelectable(entry),
          labelOf: (entry) => `Select ${entry.summary}`,
        }}
      />
    </Page>
  );
}

const pauseMs = 400;

/** The text of a field whose value is in the address: it goes there after a pause in typing. */
function useTypedText(value: string, onPause: (text: string) => void) {
  const [text, setText] = useState(value);
  const [before, setBefore] = useState(value);
  // The address has changed: by Back, for instance.
  if (before !== value) {
    setBefore(value);
    if (text.trim() !== value) setText(value);
  }
  const isTyping = text.trim() !== value;
  useEffect(() => {
    if (!isTyping) return undefined;
    const timer = setTimeout(() => onPause(text.trim()), pauseMs);
    return () => clearTimeout(timer);
  });
  return { text, setText, isTyping };
}

const columns: readonly TableProps.ColumnDefinition<ActivityView>[] = [
  { id: 'at', header: 'Time', minWidth: 125, cell: (entry) => <Time at={entry.at} /> },
  {
    id: 'summary',
    header: 'Activity',
    minWidth: 240,
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
    header: 'Current status',
    minWidth: 150,
    cell: (entry) => (entry.delivery === undefined ? '–' : <State of={entry.delivery.state} />),
  },
  {
    id: 'client',
    header: 'Client',
    minWidth: 140,
    cell: (entry) => (entry.client_id === undefined ? '–' : <IdLink page="clients" id={entry.client_id} />),
  },
];

const destination: TableProps.ColumnDefinition<ActivityView> = {
  id: 'to',
  header: 'Endpoint',
  minWidth: 180,
  cell: (entry) => <span className="id">{entry.delivery?.url ?? '–'}</span>,
};

const change: TableProps.ColumnDefinition<ActivityView> = {
  id: 'change',
  header: 'Changes',
  minWidth: 180,
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

function isUnfinished({ delivery }: ActivityView): boolean {
  return delivery !== undefined && delivery.state !== 'failed' && delivery.state !== 'acknowledged';
}

function isSelectable(entry: ActivityView): boolean {
  return entry.delivery !== undefined && !isUnfinished(entry);
}

const secondsPerUnit = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000,
} as const;

/** In the address, a range is `last` (`24-hour`), or `since` and `until`. */
function filtersOf(range: DateRangePickerProps.Value | null): Record<string, string> {
  const none = { last: '', since: '', until: '' };
  if (range === null) return none;
  if (range.type === 'relative') return { ...none, last: `${range.amount}-${range.unit}` };
  return {
    ...none,
    since: new Date(range.startDate).toISOString(),
    until: new Date(range.endDate).toISOString(),
  };
}

function rangeOf(query: URLSearchParams): DateRangePickerProps.Value | null {
  const [, amount, unit = ''] = /^(\d{1,4})-([a-z]+)$/.exec(query.get('last') ?? '') ?? [];
  if (Object.hasOwn(secondsPerUnit, unit)) {
    return { type: 'relative', amount: Number(amount), unit: unit as keyof typeof secondsPerUnit };
  }
  const [startDate, endDate] = [query.get('since'), query.get('until')];
  return startDate === null || endDate === null ? null : { type: 'absolute', startDate, endDate };
}

/** With the time at which `last` begins, seen from now. */
function withStart({ last, ...query }: Query): Query {
  const range = rangeOf(new URLSearchParams({ last: last ?? '' }));
  if (range?.type !== 'relative') return query;
  const seconds = range.amount * secondsPerUnit[range.unit];
  return { ...query, since: new Date(Date.now() - seconds * 1000).toISOString() };
}
