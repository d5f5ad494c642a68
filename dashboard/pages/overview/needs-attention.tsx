/** The problems that need an administrator's attention now, each with a link to its solution. */

import Box from '@cloudscape-design/components/box';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ResponseOf } from '../../../shared/admin/http/admin-operations.ts';
import { inOneLine } from '../../../shared/platform/visible-text.ts';
import { AllowOtps } from '../../components/allow-otps.tsx';
import { ClientLink } from '../../components/client-name.tsx';
import type { Column } from '../../components/columns.ts';
import { List } from '../../components/list.tsx';
import { useIsNarrow } from '../../components/media.ts';
import { Time } from '../../components/text.tsx';
import { linkTo } from '../../route.ts';
import { numberText } from '../../value-names.ts';

interface Item {
  readonly id: string;
  readonly type: StatusIndicatorProps.Type;
  readonly text: ReactNode;
  readonly href: string;
  readonly clientId?: string;
  readonly since?: string;
  readonly action?: ReactNode;
}

export function NeedsAttention({ query }: { readonly query: UseQueryResult<ResponseOf<'showAttention'>> }) {
  const isNarrow = useIsNarrow();
  return (
    <List<Item>
      title="Needs attention"
      description={query.data === undefined ? undefined : notAllOf(query.data)}
      isLoading={query.isPending}
      columns={isNarrow ? narrowColumns : columns}
      rows={query.data === undefined ? undefined : itemsOf(query.data)}
      emptyTitle="Nothing needs attention"
      empty="No webhook has failed in the last 24 hours, no spend cap is nearly used, and no one-time passwords are held."
      idOf={({ id }) => id}
    />
  );
}

/** Returns a sentence on which lists are incomplete here, and where to find all rows. */
function notAllOf({
  more_overrides,
  more_otp_holds,
  otp_holds,
}: ResponseOf<'showAttention'>): string | undefined {
  const overrides = 'At most the first 1,000 limit overrides are checked here. Limits has all.';
  const holds = `This list contains only the newest ${otp_holds.length} holds of one-time passwords: npm run admin -- call listOtpHolds --all lists all.`;
  const texts = [more_overrides ? overrides : '', more_otp_holds ? holds : ''];
  return texts.join(' ').trim() || undefined;
}

function Problem({ type, text, href }: Item) {
  return (
    <StatusIndicator type={type}>
      <Link href={href}>
        <span className="sentence">{text}</span>
      </Link>
    </StatusIndicator>
  );
}

const columns: readonly Column<Item>[] = [
  { title: 'Problem', minWidth: 220, cell: Problem },
  { title: 'Client', minWidth: 210, cell: ({ clientId }) => <ClientLink id={clientId} /> },
  { title: 'Since', field: 'since', minWidth: 150, isTime: true },
  { title: 'Action', minWidth: 100, cell: ({ action }) => action ?? '–' },
];

/** A narrow window shows everything in one column, because it would cut off other columns. */
const narrowColumns: readonly Column<Item>[] = [
  {
    title: 'Problem',
    cell: (item) => (
      <SpaceBetween size="xxs">
        <Problem {...item} />
        {item.clientId === undefined ? null : <ClientLink id={item.clientId} />}
        {item.since === undefined ? null : (
          <Box fontSize="body-s">
            Since <Time at={item.since} />
          </Box>
        )}
        {item.action}
      </SpaceBetween>
    ),
  },
];

function itemsOf(attention: ResponseOf<'showAttention'>): Item[] {
  const { failing_endpoints, caps, invalid_overrides, more_overrides, otp_holds } = attention;
  const more = attention.more_failed_webhooks ? ' at least' : '';
  const mistakes: Item = {
    id: 'invalid_overrides',
    type: 'warning',
    text: `${countOf(invalid_overrides, 'limit override', more_overrides)} with a mistake`,
    href: linkTo('limits'),
  };
  return [
    ...otp_holds.map<Item>(({ client_id, country, held_at, summary }) => ({
      id: `${client_id} otp ${country}`,
      type: 'error',
      text: inOneLine(summary),
      href: linkTo('clients', client_id),
      clientId: client_id,
      since: held_at,
      action: <AllowOtps clientId={client_id} country={country} />,
    })),
    ...failing_endpoints.map<Item>(({ client_id, origin, failed, waiting, since, last_error }) => ({
      id: `${client_id} ${origin}`,
      type: 'error',
      text:
        failed === 0 ? (
          <>
            {webhooks(waiting)} to <span className="id">{origin}</span> failed{reasonOf(last_error)} and{' '}
            {waiting === 1 ? 'waits' : 'wait'} for a retry
          </>
        ) : (
          <>
            {webhooks(failed, more)} to <span className="id">{origin}</span> failed{reasonOf(last_error)}
            {waiting === 0 ? '' : `; ${waitingText(waiting)}`}
          </>
        ),
      href: linkTo('clients', client_id, { tab: 'webhooks' }),
      clientId: client_id,
      since,
    })),
    ...caps.map<Item>(({ client_id, window, is_reached, summary }) => ({
      id: `${client_id} cap ${window}`,
      type: is_reached ? 'error' : 'warning',
      text: inOneLine(summary),
      href: linkTo('clients', client_id, { tab: 'limits' }),
      clientId: client_id,
    })),
    ...(invalid_overrides === 0 ? [] : [mistakes]),
  ];
}

const reasonOf = (error: string | null): string => (error === null ? '' : ` (${error})`);

function webhooks(count: number, more = ''): string {
  return `${numberText(count)} ${count === 1 ? 'webhook' : 'webhooks'}${more}`;
}

const waitingText = (count: number): string =>
  `${webhooks(count)} ${count === 1 ? 'waits' : 'wait'} for a retry`;

function countOf(count: number, what: string, more = false): string {
  if (count === 1 && !more) return `One ${what}`;
  return `${numberText(count)}${more ? '+' : ''} ${what}s`;
}
