/** Finds messages by client, number, reference, direction, status, channel, error code and time; newest first. */
import Alert from '@cloudscape-design/components/alert';
import Autosuggest from '@cloudscape-design/components/autosuggest';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Grid from '@cloudscape-design/components/grid';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type FormEvent, useState } from 'react';
import type { FoundMessage } from '../../../shared/admin/messages.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import { useAnswer } from '../../api/queries.ts';
import { ChoiceField, type Option } from '../../components/choice-field.tsx';
import { ClientField, ClientLink } from '../../components/client-name.tsx';
import type { CsvColumns } from '../../components/download.ts';
import { Filters } from '../../components/filters.tsx';
import { IdLink } from '../../components/id-link.tsx';
import { type Column, List } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { isInProgress, messageStatuses, State } from '../../components/state.tsx';
import { Time } from '../../components/time.tsx';
import { TimeRange, timesIn, withStart } from '../../components/time-range.tsx';
import { useDashboard } from '../../context.ts';
import { go, linkTo, useListState } from '../../route.ts';
import { channelNames, channelOptions, nameOf } from '../../value-names.ts';
import { CorrespondentsOf } from './correspondents.tsx';
import { summaryOf } from './message-content.tsx';

const entered = ['client_id', 'recipient', 'reference', 'error_code'] as const;
type Entered = Readonly<Record<(typeof entered)[number], string>>;

export function MessagesPage() {
  const { api } = useDashboard();
  const { filter, isFiltered, cursor } = useListState();
  const filters = {
    client_id: filter('client_id'),
    recipient: filter('recipient'),
    reference: filter('reference'),
    error_code: filter('error_code'),
  };
  const sent = {
    ...filters,
    direction: filter('direction'),
    status: filter('status'),
    channel: filter('channel'),
    ...timesIn(filter),
  };
  const query = useAnswer(
    'searchMessages',
    {},
    { ...sent, cursor },
    {
      enabled: isFiltered,
      sent: withStart,
      inProgress: ({ messages }) => messages.some(({ status }) => isInProgress(status)),
    },
  );
  const ofAllClients = filters.client_id === '' && filters.recipient === '';
  const leftOut = query.data?.clients_left_out;
  return (
    <Page title="Messages">
      <List<FoundMessage>
        title="Search results"
        description={
          isFiltered && ofAllClients && sent.last === '' && sent.since === ''
            ? 'Of all clients, in the last 24 hours. Choose a client to search all times.'
            : undefined
        }
        filter={
          <SpaceBetween size="m">
            <Filters isRequired>
              <Search key={JSON.stringify(filters)} filters={filters} />
            </Filters>
            {filters.recipient === '' ? null : <CorrespondentsOf recipient={filters.recipient} />}
            {leftOut === undefined ? null : (
              <Alert type="info">
                {leftOut === 1 ? 'One more client has' : `${leftOut} more clients have`} such messages. Choose
                a client to search its messages.
              </Alert>
            )}
          </SpaceBetween>
        }
        columns={columns}
        rows={query.data?.messages}
        query={query}
        nextCursor={query.data?.next_cursor}
        isCounted
        csv={{
          name: 'messages',
          columns: csvColumns,
          readPage: async (page) => {
            const read = await api.get('searchMessages', {}, { ...withStart(sent), ...page });
            return { rows: read.messages, next: read.next_cursor };
          },
        }}
        emptyTitle="Search for messages"
        empty="Choose a client, a recipient, a status or a time."
        isFiltered={isFiltered}
        idOf={(message) => message.message_id}
      />
    </Page>
  );
}

const any = { value: '', label: 'Any' };
const optionsOf = (values: readonly string[]): readonly Option[] => [
  any,
  ...values.map((value) => ({ value, label: nameOf(value) })),
];
const statusOptions = optionsOf(messageStatuses);
const directionOptions = optionsOf(['outbound', 'inbound']);
const anyChannelOptions = [any, ...channelOptions];
const errorCodeOptions = Object.keys(messageErrorCodes).map((value) => ({ value }));

function Search({ filters }: { readonly filters: Entered }) {
  const { filter, change } = useListState();
  const [wanted, setWanted] = useState(filters);
  const search = (event: FormEvent): void => {
    event.preventDefault();
    const recipient = wanted.recipient.trim();
    // A number without its country: the search knows the country of the stage.
    if (/^[\d (]/.test(recipient)) {
      go(linkTo('search', undefined, { q: recipient }));
      return;
    }
    change(Object.fromEntries(entered.map((name) => [name, wanted[name].trim()])));
  };
  const set = (name: keyof Entered) => (text: string) => setWanted({ ...wanted, [name]: text });
  const text = (name: keyof Entered, label: string, placeholder: string) => (
    <FormField label={label}>
      <Input
        type="search"
        placeholder={placeholder}
        value={wanted[name]}
        onChange={({ detail }) => set(name)(detail.value)}
      />
    </FormField>
  );
  const choice = (name: string, label: string, options: readonly Option[]) => (
    <ChoiceField
      label={label}
      value={filter(name)}
      options={options}
      onChange={(value) => change({ [name]: value })}
    />
  );
  const needsClient = wanted.reference.trim() !== '' && wanted.client_id.trim() === '';
  return (
    <form onSubmit={search}>
      <SpaceBetween size="m">
        <Grid gridDefinition={Array.from({ length: 8 }, () => ({ colspan: { default: 6, s: 3 } }))}>
          <ClientField
            value={wanted.client_id}
            onChange={set('client_id')}
            onSelect={(client_id) => change({ client_id })}
          />
          {text('recipient', 'Number', '+44…')}
          {text('reference', 'Reference', "the client's reference")}
          {choice('direction', 'Direction', directionOptions)}
          {choice('status', 'Status', statusOptions)}
          {choice('channel', 'Channel', anyChannelOptions)}
          <FormField label="Error code">
            <Autosuggest
              placeholder="Any"
              value={wanted.error_code}
              options={errorCodeOptions}
              enteredTextLabel={(code) => `Use “${code}”`}
              onChange={({ detail }) => set('error_code')(detail.value)}
              onSelect={({ detail }) => change({ error_code: detail.value })}
            />
          </FormField>
          <TimeRange />
        </Grid>
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

/** The most important first: a narrow window shows one or two of them. */
const columns: Column<FoundMessage>[] = [
  {
    id: 'recipient',
    header: 'Message',
    minWidth: 170,
    isRowHeader: true,
    cell: (message) => (
      <>
        {message.direction === 'inbound' ? `From ${message.from}` : `To ${message.recipient}`}
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
    id: 'state',
    header: 'Status',
    minWidth: 130,
    cell: (message) => (
      <>
        <State of={message.status} />
        {message.error === null ? null : (
          <Box color="text-body-secondary" fontSize="body-s">
            <span className="id">{message.error.code}</span>
          </Box>
        )}
      </>
    ),
  },
  { id: 'created', header: 'Created', minWidth: 150, cell: (message) => <Time at={message.created_at} /> },
  {
    id: 'client',
    header: 'Client',
    minWidth: 170,
    cell: ({ client_id }) => (client_id === null ? 'None' : <ClientLink id={client_id} />),
  },
  { id: 'channel', header: 'Channel', minWidth: 95, cell: (message) => channelNames[message.channel] },
  { id: 'reference', header: 'Reference', minWidth: 110, cell: (message) => message.reference ?? '–' },
];

const csvColumns = {
  message_id: (message) => message.message_id,
  client_id: (message) => message.client_id,
  channel: (message) => message.channel,
  direction: (message) => message.direction ?? 'outbound',
  status: (message) => message.status,
  recipient: (message) => message.recipient,
  from: (message) => message.from,
  reference: (message) => message.reference,
  error_code: (message) => message.error?.code,
  cost: (message) => message.cost,
  currency: (message) => message.currency,
  created_at: (message) => message.created_at,
  sent_at: (message) => message.sent_at,
  delivered_at: (message) => message.delivered_at,
  received_at: (message) => message.received_at,
  in_reply_to: (message) => message.in_reply_to,
  received: (message) => (message.direction === 'inbound' ? summaryOf(message) : undefined),
} as const satisfies CsvColumns<FoundMessage>;
