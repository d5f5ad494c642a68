/** Finds messages by client, number, reference, direction, status, channel, error code and time; newest first. */

import Alert from '@cloudscape-design/components/alert';
import Autosuggest from '@cloudscape-design/components/autosuggest';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import { type FoundMessage, summaryOf } from '../../../shared/message/message-summary.ts';
import { usePagedAnswer } from '../../api/queries.ts';
import { ClientField, ClientLink } from '../../components/client-name.tsx';
import type { Column } from '../../components/columns.ts';
import { ChoiceFilter, Fields, Filters, TimeFilter } from '../../components/filters.tsx';
import { submitted } from '../../components/form.tsx';
import { TextField } from '../../components/form-fields.tsx';
import { List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { isInProgress, messageStatuses, State } from '../../components/state.tsx';
import { IdLink, Secondary } from '../../components/text.tsx';
import { go, linkTo, useListState } from '../../route.ts';
import { channelNames, channelOptions, nameOf } from '../../value-names.ts';

export function MessagesPage() {
  const { filters, isFiltered } = useListState();
  const { client_id = '', recipient = '', reference = '', error_code = '' } = filters;
  const typed = { client_id, recipient, reference, error_code };
  const list = usePagedAnswer('searchMessages', {}, filters, 'messages', {
    inProgress: ({ messages }) => messages.some(({ status }) => isInProgress(status)),
  });
  const leftOut = list.query.data?.clients_left_out;
  const isOfLastDay =
    client_id + recipient === '' && filters.last === undefined && filters.since === undefined;
  return (
    <Page title="Messages">
      <List
        {...list}
        title={isFiltered ? 'Search results' : 'Latest messages'}
        description={
          isOfLastDay
            ? 'Messages of all clients in the last 24 hours. Choose a client to search all times.'
            : undefined
        }
        filter={
          <SpaceBetween size="m">
            <Filters>
              <Search key={JSON.stringify(typed)} typed={typed} />
            </Filters>
            {leftOut === undefined ? null : <Alert type="info">{leftOutText(leftOut)}</Alert>}
          </SpaceBetween>
        }
        columns={columns}
        emptyTitle="No messages"
        empty="No client has sent or received a message in the last 24 hours."
        isFiltered={isFiltered}
        idOf={(message) => message.message_id}
      />
    </Page>
  );
}

function leftOutText(clients: number): string {
  const have = clients === 1 ? 'One more client has' : `${clients} more clients have`;
  return `${have} such messages. Choose a client to search its messages.`;
}

const statusOptions = messageStatuses.map((value) => ({ value, label: nameOf(value) }));
const directionOptions = ['outbound', 'inbound'].map((value) => ({ value, label: nameOf(value) }));
const errorCodeOptions = Object.keys(messageErrorCodes).map((value) => ({ value }));

/** @param typed - filters that apply on submit, or when the user chooses a suggestion */
function Search({
  typed,
}: {
  readonly typed: Readonly<Record<'client_id' | 'recipient' | 'reference' | 'error_code', string>>;
}) {
  const { change } = useListState();
  const [wanted, setWanted] = useState(typed);
  const search = submitted(() => {
    const recipient = wanted.recipient.trim();
    // For a national number, the search adds the country of the stage.
    if (/^[\d (]/.test(recipient)) {
      go(linkTo('search', undefined, { q: recipient }));
      return;
    }
    change(Object.fromEntries(Object.entries(wanted).map(([name, text]) => [name, text.trim()])));
  });
  const field = (name: keyof typeof typed) => ({
    value: wanted[name],
    onChange: (text: string) => setWanted({ ...wanted, [name]: text }),
  });
  const needsClient = wanted.reference.trim() !== '' && wanted.client_id.trim() === '';
  return (
    <form onSubmit={search}>
      <SpaceBetween size="m">
        <Fields perRow={4} inNarrow={2}>
          <ClientField {...field('client_id')} onSelect={(client_id) => change({ client_id })} />
          <TextField {...field('recipient')} label="Number or id" type="search" placeholder="+44…" />
          <TextField
            {...field('reference')}
            label="Reference"
            type="search"
            placeholder="the client's reference"
          />
          <ChoiceFilter name="direction" label="Direction" options={directionOptions} />
          <ChoiceFilter name="status" label="Status" options={statusOptions} />
          <ChoiceFilter name="channel" label="Channel" options={channelOptions} />
          <FormField label="Error code">
            <Autosuggest
              placeholder="Any"
              value={wanted.error_code}
              options={errorCodeOptions}
              enteredTextLabel={(code) => `Use “${code}”`}
              onChange={({ detail }) => field('error_code').onChange(detail.value)}
              onSelect={({ detail }) => change({ error_code: detail.value })}
            />
          </FormField>
          <TimeFilter />
        </Fields>
        <SpaceBetween direction="horizontal" size="m" alignItems="center">
          <Button formAction="submit" variant="primary" disabled={needsClient}>
            Search
          </Button>
          {needsClient ? (
            <Box color="text-body-secondary">To search by reference, also enter the client.</Box>
          ) : null}
        </SpaceBetween>
      </SpaceBetween>
    </form>
  );
}

const columns: readonly Column<FoundMessage>[] = [
  {
    title: 'Message',
    field: 'message_id',
    minWidth: 170,
    cell: (message) => (
      <>
        {message.direction === 'inbound' ? `From ${message.from}` : `To ${message.recipient}`}
        {(message.from_type ?? message.recipient_type) ? <Secondary>WhatsApp user</Secondary> : null}
        {message.direction === 'inbound' ? (
          <span className="two-lines" dir="auto">
            {summaryOf(message)}
          </span>
        ) : null}
        <Box fontSize="body-s">
          <IdLink page="messages" id={message.message_id} />
        </Box>
      </>
    ),
  },
  {
    title: 'Status',
    field: 'status',
    minWidth: 160,
    cell: ({ status, error }) => (
      <>
        <State of={status} />
        {error === null ? null : (
          <Secondary>
            <span className="id">{error.code}</span>
          </Secondary>
        )}
      </>
    ),
  },
  { title: 'Created', field: 'created_at', minWidth: 150, isTime: true },
  {
    title: 'Client',
    field: 'client_id',
    minWidth: 210,
    cell: ({ client_id }) => (client_id === null ? 'None' : <ClientLink id={client_id} />),
  },
  { title: 'Channel', field: 'channel', minWidth: 95, cell: ({ channel }) => channelNames[channel] },
  { title: 'Reference', field: 'reference', minWidth: 110 },
];
