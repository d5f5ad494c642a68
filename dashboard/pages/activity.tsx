/**
 * The activity log in tabs: changes by administrators, failed webhooks, events of the gateway, and
 * sign-ins.
 */

import Box from '@cloudscape-design/components/box';
import Link from '@cloudscape-design/components/link';
import Tabs from '@cloudscape-design/components/tabs';
import type { RowOf } from '../../shared/admin/http/admin-operations.ts';
import { type ActivityGroup, activityGroups } from '../../shared/contract/activity-kinds.ts';
import { inOneLine } from '../../shared/platform/visible-text.ts';
import { usePagedAnswer } from '../api/queries.ts';
import { ActorName, ClientLink, useClientName } from '../components/client-name.tsx';
import type { Column } from '../components/columns.ts';
import { Fields, Filters, TimeFilter, useClientFilter } from '../components/filters.tsx';
import { ChoiceField } from '../components/form-fields.tsx';
import { List } from '../components/list.tsx';
import { Page } from '../components/page.tsx';
import { State } from '../components/state.tsx';
import { go, linkTo, useListState } from '../route.ts';
import { nameOf, valueText } from '../value-names.ts';

type ActivityView = RowOf<'listActivity', 'entries'>;

/** The tabs, by their name in the address, which is empty for the first. */
const tabs: readonly {
  readonly id: string;
  readonly title: string;
  readonly group: ActivityGroup;
  /** The type that is selected at first; by default all types of the group. */
  readonly byDefault?: string;
  readonly empty: string;
}[] = [
  { id: '', title: 'Changes', group: 'changes', empty: 'Nothing was changed.' },
  {
    id: 'webhooks',
    title: 'Webhooks',
    group: 'webhooks',
    byDefault: 'webhook_failed',
    empty: 'No webhook has failed.',
  },
  { id: 'notices', title: 'Notices', group: 'notices', empty: 'Nothing was noticed.' },
  { id: 'sign-ins', title: 'Sign-ins', group: 'sign_ins', empty: 'No administrator has signed in.' },
];

/** @param id - the id of the tab */
export function ActivityPage({ id }: { readonly id: string }) {
  const active = tabs.some((tab) => tab.id === id) ? id : '';
  return (
    <Page title="Activity Logs">
      <Tabs
        ariaLabel="Activity Logs"
        activeTabId={active}
        onChange={({ detail }) => go(detail.activeTabHref ?? linkTo('activity'))}
        tabs={tabs.map((tab) => ({
          id: tab.id,
          label: tab.title,
          href: linkTo('activity', tab.id === '' ? undefined : tab.id),
          content: tab.id === active ? <Entries key={tab.id} {...tab} /> : null,
        }))}
      />
    </Page>
  );
}

function Entries({ title, group, byDefault = group, empty }: (typeof tabs)[number]) {
  const { filters, isFiltered, change } = useListState();
  const options = [
    { value: group as string, label: `All ${title.toLowerCase()}` },
    ...activityGroups[group].map((value) => ({ value, label: nameOf(value) })),
  ];
  const kind =
    options.find(({ value }) => value === filters.kind) ?? options.find(({ value }) => value === byDefault);
  const client = useClientFilter();
  const actor = useClientFilter('actor', 'Changed by');
  const list = usePagedAnswer('listActivity', {}, { ...filters, kind: kind?.value }, 'entries', {
    inProgress: ({ entries }) => entries.some(isUnfinished),
  });
  // While the user types, the previous client's entries must not be shown.
  const entries = client.isTyping || actor.isTyping ? undefined : list.rows;
  return (
    <List
      {...list}
      title={kind?.label ?? ''}
      filter={
        <Filters>
          <Fields perRow={group === 'changes' ? 4 : 3}>
            {group === 'sign_ins' ? null : (
              <ChoiceField
                label="Type"
                value={kind?.value ?? ''}
                options={options}
                onChange={(value) => change({ kind: value === byDefault ? '' : value })}
              />
            )}
            {client.field}
            {group === 'changes' ? actor.field : null}
            <TimeFilter />
          </Fields>
        </Filters>
      }
      columns={columnsOf(group, kind?.value)}
      rows={entries}
      empty={empty}
      isFiltered={isFiltered}
      idOf={(entry) => entry.entry_id}
    />
  );
}

const summaryColumn: Column<ActivityView> = {
  title: 'Activity',
  minWidth: 150,
  cell: (entry) => {
    const href = subjectOf(entry);
    const text = <Sentence {...entry} />;
    return href === undefined ? text : <Link href={href}>{text}</Link>;
  },
};
const stateColumn: Column<ActivityView> = {
  title: 'Current status',
  minWidth: 125,
  cell: ({ delivery }) => (delivery === undefined ? '–' : <State of={delivery.state} />),
};
const actorColumn: Column<ActivityView> = {
  title: 'Changed by',
  minWidth: 150,
  // The actor is unknown if a table was edited in the console.
  cell: ({ actor, summary }) =>
    actor === undefined && summary.startsWith('Someone ') ? 'Someone' : <ActorName actor={actor} />,
};
const clientColumn: Column<ActivityView> = {
  title: 'Client',
  minWidth: 170,
  cell: ({ client_id }) => <ClientLink id={client_id} />,
};
const timeColumn: Column<ActivityView> = { title: 'Time', field: 'at', minWidth: 150, isTime: true };
const changesColumn: Column<ActivityView> = { title: 'Changes', minWidth: 180, cell: Change };
const endpointColumn: Column<ActivityView> = {
  title: 'Endpoint',
  minWidth: 180,
  cell: ({ delivery }) => <span className="id">{delivery?.url ?? '–'}</span>,
};

function columnsOf(group: ActivityGroup, kind: string | undefined): readonly Column<ActivityView>[] {
  if (group === 'webhooks') {
    const hasEndpoint = kind === 'webhook_failed' || kind === 'webhook_resent';
    return [summaryColumn, stateColumn, clientColumn, timeColumn, hasEndpoint ? endpointColumn : actorColumn];
  }
  if (group === 'sign_ins') return [summaryColumn, clientColumn, timeColumn];
  const actor = group === 'changes' ? [actorColumn] : [];
  return [summaryColumn, timeColumn, ...actor, clientColumn, changesColumn];
}
/** Shows a sentence of the log. It begins with the id of the actor, a client or an administrator. */
function Sentence({ summary, actor }: ActivityView) {
  const name = useClientName(actor);
  const isNamed = name !== undefined && actor !== undefined && summary.startsWith(`${actor} `);
  return <span className="id">{inOneLine(isNamed ? name + summary.slice(actor.length) : summary)}</span>;
}

/** Returns the link to the subject of an entry: a webhook or an inbound message. */
function subjectOf({ delivery_id, kind, message_id }: ActivityView): string | undefined {
  if (delivery_id !== undefined) return linkTo('webhooks', delivery_id);
  return kind === 'inbound_unassigned' && message_id !== undefined
    ? linkTo('messages', message_id)
    : undefined;
}

function Change({ before, after }: ActivityView) {
  if (before === undefined && after === undefined) return <>–</>;
  const names = Object.keys({ ...before, ...after });
  const changed = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]));
  const recipient = after?.recipient;
  return (
    <Box fontSize="body-s">
      {typeof recipient === 'string' ? <div className="id">{recipient}</div> : null}
      {changed.map((name) => (
        <div key={name} className="id">
          {name.replaceAll('_', ' ')}: {valueText(before?.[name])} → {valueText(after?.[name])}
        </div>
      ))}
    </Box>
  );
}

function isUnfinished({ delivery }: ActivityView): boolean {
  return typeof delivery?.next_due_at === 'string';
}
