/** One bulk request: the progress of its messages, the expected end, and the reasons of refusals and failures. */

import Link from '@cloudscape-design/components/link';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ResponseOf } from '../../../shared/admin/http/admin-operations.ts';
import type { Status } from '../../../shared/message/message.ts';
import { useResponse } from '../../api/queries.ts';
import { ClientLink } from '../../components/client-name.tsx';
import { List } from '../../components/list.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { State } from '../../components/state.tsx';
import { Copyable, Time } from '../../components/text.tsx';
import { linkTo } from '../../route.ts';
import { numberText } from '../../value-names.ts';

export function BatchPage({ id }: { readonly id: string }) {
  // The response is expensive: the gateway reads each message of the batch.
  const query = useResponse('showBatch', { batch_id: id }, undefined, { refreshEveryMs: 5000 });
  return (
    <Page
      title="Batch"
      description={<Copyable name="batch id" text={id} />}
      query={query}
      clientId={query.data?.client_id}
    >
      <Loaded query={query}>
        {(batch) => (
          <SpaceBetween size="l">
            <Progress {...batch} />
            <Statuses {...batch} />
            <Failures {...batch} />
            {batch.refusals.length === 0 ? null : <Refusals {...batch} />}
          </SpaceBetween>
        )}
      </Loaded>
    </Page>
  );
}

/** Returns the link to the list of a batch's messages. All messages of a batch have the creation time of the batch. */
function messagesOf(
  { client_id, created_at }: ResponseOf<'showBatch'>,
  filters: Readonly<Record<string, string>>,
) {
  return linkTo('messages', undefined, { client_id, since: created_at, until: created_at, ...filters });
}

function Progress(batch: ResponseOf<'showBatch'>) {
  const { client_id, total, accepted, rejected, finished, created_at, expected_end_at } = batch;
  return (
    <Section title="Progress">
      <SpaceBetween size="l">
        <ProgressBar
          label="Messages with their last status"
          value={accepted === 0 ? 100 : Math.floor((100 * finished) / accepted)}
          description={`${numberText(finished)} of ${numberText(accepted)}`}
        />
        <Facts
          columns={3}
          facts={{
            Client: <ClientLink id={client_id} />,
            Created: <Time at={created_at} />,
            'Expected end of the hand-over': <Time at={expected_end_at} />,
            Recipients: numberText(total),
            Accepted: <Link href={messagesOf(batch, {})}>{numberText(accepted)}</Link>,
            Refused: numberText(rejected),
          }}
        />
      </SpaceBetween>
    </Section>
  );
}

function Statuses(batch: ResponseOf<'showBatch'>) {
  const rows = Object.entries(batch.counts).map(([status, messages]) => ({
    status: status as Status,
    messages,
  }));
  return (
    <List
      title="By status"
      columns={[
        { title: 'Status', cell: ({ status }) => <State of={status} /> },
        {
          title: 'Messages',
          cell: ({ status, messages }) => (
            <Link href={messagesOf(batch, { status })}>{numberText(messages)}</Link>
          ),
        },
      ]}
      rows={rows}
      empty="No recipient was accepted."
      idOf={({ status }) => status}
    />
  );
}

function Failures(batch: ResponseOf<'showBatch'>) {
  return (
    <List
      title="Failures by error code"
      columns={[
        {
          title: 'Code',
          field: 'code',
          minWidth: 150,
          link: ({ code }) => messagesOf(batch, { error_code: code }),
        },
        { title: 'Messages', field: 'messages', minWidth: 100 },
        { title: 'Meaning', field: 'meaning', minWidth: 220 },
      ]}
      rows={batch.failures}
      emptyTitle="No failures"
      empty="No accepted message has an error."
      idOf={({ code }) => code}
    />
  );
}

function Refusals({ refusals }: ResponseOf<'showBatch'>) {
  return (
    <List
      title="Recipients that were refused with the request"
      columns={[
        { title: 'Error', field: 'code', minWidth: 150 },
        { title: 'Recipients', field: 'messages', minWidth: 100 },
        { title: 'For example', field: 'meaning', minWidth: 220 },
      ]}
      rows={refusals}
      empty="None."
      idOf={({ code }) => code}
    />
  );
}
