/**
 * The activity log in tabs: changes by administrators, failed webhooks (with a button to resend), events of the gateway, and
 * sign-ins.
 */

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { type ComponentProps, useState } from 'react';
import type { RowOf } from '../../../shared/admin/http/admin-operations.ts';
import type { ActivityGroup } from '../../../shared/contract/activity-kinds.ts';
import { inOneLine } from '../../../shared/platform/visible-text.ts';
import { longestPage, type ReadPage } from '../../api/pages.ts';
import { useChange, usePagedAnswer } from '../../api/queries.ts';
import { ActorName, ClientLink, useClientName } from '../../components/client-name.tsx';
import { type Column, csvOnly } from '../../components/columns.ts';
import { Fields, Filters, TimeFilter, useClientFilter } from '../../components/filters.tsx';
import { useConfirm, useIsShown } from '../../components/form.tsx';
import { ChoiceField } from '../../components/form-fields.tsx';
import { List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { noticeOf, ResendProgress, useResend } from '../../components/resend.tsx';
import { State } from '../../components/state.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { go, linkTo, useListState } from '../../route.ts';
import { valueText } from '../../value-names.ts';
import { changesTab, kinds, optionsOf, type Tab, tabs } from './activity-tabs.ts';

type ActivityView = RowOf<'listActivity', 'entries'>;

/** @param id - the id of the tab */
export function ActivityPage({ id }: { readonly id: string }) {
  const tab = tabs.find((one) => one.id === id) ?? changesTab;
  return (
    <Page title="Activity Logs">
      <Tabs
        ariaLabel="Activity Logs"
        activeTabId={tab.id}
        onChange={({ detail }) => go(detail.activeTabHref ?? linkTo('activity'))}
        tabs={tabs.map(({ id: tabId, title }) => ({
          id: tabId,
          label: title,
          href: linkTo('activity', tabId === '' ? undefined : tabId),
          content: tabId === tab.id ? <Entries key={tabId} tab={tab} /> : null,
        }))}
      />
    </Page>
  );
}

function Entries({ tab }: { readonly tab: Tab }) {
  const { filters, isFiltered, selected, change } = useListState();
  const options = optionsOf(tab);
  const byDefault = tab.byDefault ?? tab.group;
  const kind = options.find(({ value }) => value === filters.kind)?.value ?? byDefault;
  const client = useClientFilter();
  const actor = useClientFilter('actor', 'Changed by');
  const list = usePagedAnswer('listActivity', {}, { ...filters, kind }, 'entries', {
    inProgress: ({ entries }) => entries.some(isUnfinished),
  });
  const resend = useResend();
  const resendAll = useResendAll(list.readPage);
  const { confirm, dialog } = useConfirm();
  // While the user types, the old client's entries must not be shown or resent.
  const entries = client.isTyping || actor.isTyping ? undefined : list.rows;
  const ids = entries?.filter((entry) => selected.includes(entry.entry_id) && isSelectable(entry));
  const isOfWebhooks = tab.group === 'webhooks';

  return (
    <>
      {resendAll.progress === undefined ? null : (
        <Box padding={{ bottom: 'm' }}>
          <ResendProgress {...resendAll.progress} note="Keep this page open." />
        </Box>
      )}
      <List
        {...list}
        title={kinds[kind]}
        actions={
          isOfWebhooks ? (
            <SpaceBetween direction="horizontal" size="xs">
              <Button
                disabled={ids === undefined || ids.length === 0}
                loading={resend.isPending}
                onClick={() =>
                  resend.mutate([...new Set(ids?.flatMap(({ delivery_id }) => delivery_id ?? []))], {
                    onSuccess: () => change({}, { replace: true, isHere: true }),
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
                      // The page itself shows the progress.
                      work: async () => resendAll.mutate(),
                    })
                  }
                >
                  Resend all
                </Button>
              ) : null}
            </SpaceBetween>
          ) : null
        }
        filter={
          <Filters>
            <Fields perRow={tab.group === 'changes' ? 4 : 3}>
              {options.length === 1 ? null : (
                <ChoiceField
                  label="Type"
                  value={kind}
                  options={options}
                  onChange={(value) => change({ kind: value === byDefault ? '' : value })}
                />
              )}
              {client.field}
              {tab.group === 'changes' ? actor.field : null}
              <TimeFilter />
            </Fields>
          </Filters>
        }
        columns={columnsOf(tab.group, kind)}
        rows={entries}
        csvName="activity"
        empty={tab.empty}
        isFiltered={isFiltered}
        idOf={(entry) => entry.entry_id}
        {...(isOfWebhooks ? { selection } : {})}
      />
      {dialog}
    </>
  );
}

const selection = {
  isDisabled: (entry: ActivityView) => !isSelectable(entry),
  labelOf: (entry: ActivityView) => `Select ${entry.summary}`,
};

const summaryColumn: Column<ActivityView> = {
  title: 'Activity',
  field: 'summary',
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
  csv: { delivery_status: ({ delivery }) => delivery?.state },
};
const actorColumn: Column<ActivityView> = {
  title: 'Changed by',
  field: 'actor',
  minWidth: 150,
  // The actor is unknown if a table was edited in the console.
  cell: ({ actor, summary }) =>
    actor === undefined && summary.startsWith('Someone ') ? 'Someone' : <ActorName actor={actor} />,
};
const clientColumn: Column<ActivityView> = {
  title: 'Client',
  field: 'client_id',
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
const onlyInCsv: readonly Column<ActivityView>[] = [
  ...csvOnly<ActivityView>('kind', 'delivery_id', 'message_id'),
  { csv: { endpoint: ({ delivery }) => delivery?.url } },
];

function columnsOf(group: ActivityGroup, kind: string): readonly Column<ActivityView>[] {
  if (group === 'webhooks') {
    const hasEndpoint = kind === 'webhook_failed' || kind === 'webhook_resent';
    const last = hasEndpoint ? endpointColumn : actorColumn;
    const actor = hasEndpoint ? csvOnly<ActivityView>('actor') : [];
    return [summaryColumn, stateColumn, clientColumn, timeColumn, last, ...actor, ...onlyInCsv];
  }
  if (group === 'sign_ins')
    return [summaryColumn, clientColumn, timeColumn, ...csvOnly<ActivityView>('actor')];
  const actor = group === 'changes' ? [actorColumn] : csvOnly<ActivityView>('actor');
  return [summaryColumn, timeColumn, ...actor, clientColumn, changesColumn, ...onlyInCsv];
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
  return delivery !== undefined && delivery.state !== 'failed' && delivery.state !== 'acknowledged';
}

function isSelectable(entry: ActivityView): boolean {
  return entry.delivery !== undefined && !isUnfinished(entry);
}

/** Small enough for the time limit of one request to the admin API, at twenty webhooks a second. */
const webhooksPerRequest = 50;

/**
 * Resends any number of webhooks in groups, and shows the progress. It stops if the user leaves the page. The remaining webhooks
 * stay failed, so the user can start it again.
 */
function useResendAll(readPage: ReadPage<ActivityView>) {
  const { api, notify } = useDashboard();
  const [progress, setProgress] = useState<ComponentProps<typeof ResendProgress>>();
  const isShown = useIsShown();
  const mutation = useChange({
    mutationFn: async () => {
      const { ids, isAll } = await failedIn(readPage);
      const results: RowOf<'resendWebhooks', 'results'>[] = [];
      const startedAt = Date.now();
      while (results.length < ids.length && isShown.current) {
        setProgress({ done: results.length, total: ids.length, startedAt });
        const some = ids.slice(results.length, results.length + webhooksPerRequest);
        const answer = await api.send('resendWebhooks', {}, { delivery_ids: some });
        results.push(...answer.results);
      }
      return { results, isAll };
    },
    onSuccess: ({ results, isAll }) => {
      if (results.length === 0) notify('success', 'No webhook of these is failed now.');
      else notify(...noticeOf(results));
      if (!isAll) notify('success', 'There are more failed webhooks: resend all again.');
    },
  });
  return { ...mutation, progress: mutation.isPending ? progress : undefined };
}

const webhooksMax = 1000;
const pagesMax = 50;

/** Returns the webhooks of these entries that have still failed. `isAll` is false if there may be more. */
async function failedIn(readPage: ReadPage<ActivityView>) {
  const ids = new Set<string>();
  let cursor: string | undefined;
  for (let pages = 0; pages < pagesMax && ids.size < webhooksMax; pages += 1) {
    const { rows, nextCursor } = await readPage(longestPage(cursor));
    for (const { delivery } of rows) if (delivery?.state === 'failed') ids.add(delivery.delivery_id);
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  return { ids: [...ids], isAll: cursor === undefined };
}
