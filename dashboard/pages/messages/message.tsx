/** One message of either direction: what it says, whether its recipient can be reached, its history and webhooks. */
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { MessageDetails, MessageLeg } from '../../../shared/admin/messages.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import type { DeliverySummary } from '../../../shared/webhook/log/delivery-response.schema.ts';
import { useAnswer } from '../../api/queries.ts';
import { ClientLink } from '../../components/client-name.tsx';
import { Copyable } from '../../components/copyable.tsx';
import { IdLink } from '../../components/id-link.tsx';
import { List } from '../../components/list.tsx';
import { Loaded, Refresh } from '../../components/loaded.tsx';
import { Page } from '../../components/page.tsx';
import { SuppressionNote, WhatsAppWindow } from '../../components/reachability.tsx';
import { DeliveryState, isInProgress, State } from '../../components/state.tsx';
import { Time } from '../../components/time.tsx';
import { linkTo } from '../../route.ts';
import { channelNames } from '../../value-names.ts';
import { MessageContent } from './message-content.tsx';

export function MessagePage({ id }: { readonly id: string }) {
  const query = useAnswer('showMessage', { message_id: id }, undefined, {
    inProgress: ({ message, webhooks, legs }) =>
      isInProgress(message.status) ||
      webhooks.some(({ state }) => isInProgress(state)) ||
      legs.some(({ status }) => status !== null && isInProgress(status)),
  });
  return (
    <Page
      title="Message"
      description={<Copyable name="message id" text={id} />}
      actions={
        <SpaceBetween direction="horizontal" size="xs" alignItems="center">
          <Refresh query={query} />
          {query.data === undefined ? null : (
            <Button
              href={linkTo('conversation', undefined, {
                client_id: query.data.client?.client_id ?? '',
                recipient: query.data.person,
              })}
            >
              Conversation
            </Button>
          )}
        </SpaceBetween>
      }
    >
      <Loaded query={query}>
        {({ message, webhooks, legs, ...rest }) => (
          <SpaceBetween size="l">
            <Details message={message} {...rest} />
            <Container header={<Header variant="h2">Content</Header>}>
              <MessageContent text={rest.text} whatsapp={rest.whatsapp} />
            </Container>
            {legs.length === 0 ? null : <Legs legs={legs} ownId={message.message_id} />}
            <List
              title="History"
              columns={[
                {
                  id: 'status',
                  header: 'Status',
                  isRowHeader: true,
                  cell: ({ status }) => <State of={status} />,
                },
                { id: 'at', header: 'Time', cell: ({ at }) => <Time at={at} /> },
              ]}
              rows={message.history}
              empty="The message has no history."
              idOf={({ status }) => status}
            />
            <List<DeliverySummary>
              title="Webhooks"
              columns={[
                {
                  id: 'event',
                  header: 'Event',
                  minWidth: 130,
                  isRowHeader: true,
                  cell: (row) => <Link href={linkTo('webhooks', row.delivery_id)}>{row.event}</Link>,
                },
                { id: 'state', header: 'Status', minWidth: 140, cell: (row) => <DeliveryState of={row} /> },
                { id: 'attempts', header: 'Attempts', minWidth: 100, cell: (row) => row.attempts },
                { id: 'url', header: 'Endpoint', minWidth: 220, cell: (row) => row.url },
              ]}
              rows={webhooks}
              empty="A message has webhooks if its request or its client has a webhook URL."
              idOf={(row) => row.delivery_id}
              csv={{
                name: `webhooks-of-${id}`,
                columns: {
                  delivery_id: (row) => row.delivery_id,
                  event: (row) => row.event,
                  status: (row) => row.state,
                  attempts: (row) => row.attempts,
                  endpoint: (row) => row.url,
                  last_status: (row) => row.last_status,
                  last_error: (row) => row.last_error,
                },
              }}
            />
          </SpaceBetween>
        )}
      </Loaded>
    </Page>
  );
}

interface LegsProps {
  readonly legs: readonly MessageLeg[];
  readonly ownId: string;
}

/** The messages of a send with `fallback`: each but this one is a link, once it has started. */
function Legs({ legs, ownId }: LegsProps) {
  return (
    <List<MessageLeg>
      title="Fallback"
      columns={[
        {
          id: 'message',
          header: 'Message',
          minWidth: 240,
          isRowHeader: true,
          cell: ({ message_id }) => {
            if (message_id === null) return 'Not started';
            return message_id === ownId ? 'This message' : <IdLink page="messages" id={message_id} />;
          },
        },
        { id: 'channel', header: 'Channel', minWidth: 110, cell: ({ channel }) => channelNames[channel] },
        {
          id: 'status',
          header: 'Status',
          minWidth: 130,
          cell: ({ status }) => (status === null ? '–' : <State of={status} />),
        },
        { id: 'starts', header: 'Starts', minWidth: 240, cell: startOf },
      ]}
      rows={legs}
      empty="The message has no fallback."
      idOf={({ leg }) => String(leg)}
    />
  );
}

function startOf({ leg, after_seconds }: MessageLeg): string {
  if (leg === 1) return 'With the request';
  const ends = 'if the one before fails or expires';
  return after_seconds === null
    ? `At once, ${ends}`
    : `${after_seconds.toLocaleString('en')} s after the one before, or at once ${ends}`;
}

type DetailsProps = Omit<MessageDetails, 'webhooks' | 'legs'>;

function Details({ message, person, client }: DetailsProps) {
  const isInbound = message.direction === 'inbound';
  const number = <Copyable name={isInbound ? 'sender' : 'recipient'} text={person} />;
  const ours = isInbound ? message.recipient : message.from;
  return (
    <Container header={<Header variant="h2">Details</Header>}>
      <KeyValuePairs
        columns={3}
        minColumnWidth={170}
        items={[
          { label: 'Status', value: <State of={message.status} /> },
          ...(isInbound
            ? [
                { label: 'Sender', value: number },
                { label: 'Recipient', value: ours ?? '–' },
              ]
            : [
                { label: 'Recipient', value: number },
                { label: 'Sender', value: ours ?? '–' },
              ]),
          { label: 'Channel', value: channelNames[message.channel] },
          { label: 'Client', value: client === null ? 'None' : <ClientLink id={client.client_id} /> },
          ...(isInbound ? receivedItems(message) : sentItems(message)),
          ...(client === null ? [] : reachabilityItems(message.channel, person, client)),
        ]}
      />
    </Container>
  );
}

type MessageProps = MessageDetails['message'];

function reachabilityItems(
  channel: MessageProps['channel'],
  person: string,
  { client_id, suppression, window_expires_at }: NonNullable<MessageDetails['client']>,
) {
  return [
    {
      label: 'Messages to this number',
      value: <SuppressionNote clientId={client_id} recipient={person} suppression={suppression} />,
    },
    ...(channel === 'whatsapp'
      ? [{ label: 'WhatsApp window', value: <WhatsAppWindow expiresAt={window_expires_at} /> }]
      : []),
  ];
}

function receivedItems({ received_at, in_reply_to }: MessageProps) {
  return [
    { label: 'Received', value: <Time at={received_at} /> },
    {
      label: 'In reply to',
      value: in_reply_to === undefined ? '–' : <IdLink page="messages" id={in_reply_to} />,
    },
  ];
}

function sentItems(message: MessageProps) {
  const { reference } = message;
  return [
    { label: 'Segments', value: `${message.segments ?? '–'} ${message.encoding ?? ''}` },
    { label: 'Cost', value: message.cost === null ? '–' : `${message.cost} ${message.currency ?? ''}` },
    {
      label: 'Reference',
      value: reference === null ? '–' : <Copyable name="reference" text={reference} />,
    },
    { label: 'Created', value: <Time at={message.created_at} /> },
    { label: 'Webhook URL of the request', value: message.webhook_url ?? '–' },
    { label: 'Expires', value: <Time at={message.expires_at} /> },
    { label: 'Error', value: <ErrorNote error={message.error} /> },
  ];
}

/** What happened, and what the client does about it. */
function ErrorNote({ error }: Pick<MessageDetails['message'], 'error'>) {
  if (error === null) return <>–</>;
  const notes: Readonly<Record<string, { readonly cause: string; readonly remedy: string } | undefined>> =
    messageErrorCodes;
  const note = Object.hasOwn(notes, error.code) ? notes[error.code] : undefined;
  return (
    <>
      <span className="id">{error.code}</span>: {error.message ?? ''}
      {note === undefined ? null : (
        <Box color="text-body-secondary" fontSize="body-s">
          {note.cause} {note.remedy}
        </Box>
      )}
    </>
  );
}
