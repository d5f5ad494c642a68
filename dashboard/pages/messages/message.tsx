/** One outbound or inbound message: its content, the reachability of its recipient, its history and webhooks. */

import Button from '@cloudscape-design/components/button';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ResponseOf, RowOf } from '../../../shared/admin/http/admin-operations.ts';
import { messageErrorNotes } from '../../../shared/contract/message-error-notes.ts';
import type { DeliverySummary } from '../../../shared/webhook/webhook-response.schema.ts';
import { useResponse } from '../../api/queries.ts';
import { ClientLink } from '../../components/client-name.tsx';
import type { Column } from '../../components/columns.ts';
import { useConfirm } from '../../components/form.tsx';
import { List } from '../../components/list.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { reachability } from '../../components/reachability.tsx';
import { deliveryStateColumn, isInProgress, State } from '../../components/state.tsx';
import { Copyable, IdLink, MessageContent, Secondary, Time, WrappingLink } from '../../components/text.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { linkTo } from '../../route.ts';
import { channelNames, numberText } from '../../value-names.ts';

export function MessagePage({ id }: { readonly id: string }) {
  const query = useResponse('showMessage', { message_id: id }, undefined, {
    inProgress: ({ message, webhooks, legs }) =>
      isInProgress(message.status) ||
      webhooks.some(({ state }) => isInProgress(state)) ||
      legs.some(({ status }) => status !== null && isInProgress(status)),
  });
  const { api } = useDashboard();
  const { confirm, dialog } = useConfirm();
  const cancel = (): void =>
    confirm({
      title: 'Cancel this message?',
      text: 'The message will not be sent. You cannot undo this action; the client can send the message again.',
      action: 'Cancel message',
      dismissText: 'Keep it',
      work: () => api.send('cancelMessage', { message_id: id }),
      done: 'Message canceled.',
    });
  return (
    <Page
      title="Message"
      description={<Copyable name="message id" text={id} />}
      query={query}
      clientId={query.data?.message.client_id ?? undefined}
      actions={
        query.data === undefined ? null : (
          <SpaceBetween direction="horizontal" size="xs">
            {query.data.message.status === 'scheduled' ? (
              <Button onClick={cancel}>Cancel message</Button>
            ) : null}
            <Button href={linkTo('messages', undefined, { recipient: query.data.person })}>
              Messages with this number
            </Button>
          </SpaceBetween>
        )
      }
    >
      <Loaded query={query}>
        {(loaded) => (
          <SpaceBetween size="l">
            <Details {...loaded} />
            <Section title="Content">
              <MessageContent text={loaded.text} whatsapp={loaded.whatsapp} />
            </Section>
            {loaded.legs.length === 0 ? null : <Legs legs={loaded.legs} ownId={loaded.message.message_id} />}
            <List
              title="History"
              columns={[
                { title: 'Status', cell: ({ status }) => <State of={status} /> },
                { title: 'Time', field: 'at', isTime: true },
              ]}
              rows={loaded.message.history}
              empty="The message has no history."
              idOf={({ status }) => status}
            />
            <List<DeliverySummary>
              title="Webhooks"
              columns={webhookColumns}
              rows={loaded.webhooks}
              empty="A message has webhooks if its request or its client has a webhook URL."
              idOf={(row) => row.delivery_id}
            />
          </SpaceBetween>
        )}
      </Loaded>
      {dialog}
    </Page>
  );
}

const webhookColumns: readonly Column<DeliverySummary>[] = [
  {
    title: 'Event',
    field: 'event',
    minWidth: 130,
    cell: ({ delivery_id, event }) => <Link href={linkTo('webhooks', delivery_id)}>{event}</Link>,
  },
  deliveryStateColumn,
  { title: 'Attempts', field: 'attempts', minWidth: 100 },
  { title: 'Endpoint', field: 'url', minWidth: 220 },
];

/** Shows the messages of a send with `fallback`. The other messages are links once they have started. */
function Legs({ legs, ownId }: { readonly legs: ResponseOf<'showMessage'>['legs']; readonly ownId: string }) {
  return (
    <List<RowOf<'showMessage', 'legs'>>
      title="Fallback"
      columns={[
        {
          title: 'Message',
          minWidth: 240,
          cell: ({ message_id }) => {
            if (message_id === null) return 'Not started';
            return message_id === ownId ? 'This message' : <IdLink page="messages" id={message_id} />;
          },
        },
        { title: 'Channel', minWidth: 110, cell: ({ channel }) => channelNames[channel] },
        {
          title: 'Status',
          minWidth: 130,
          cell: ({ status }) => (status === null ? '–' : <State of={status} />),
        },
        { title: 'Starts', minWidth: 240, cell: startOf },
      ]}
      rows={legs}
      empty="The message has no fallback."
      idOf={({ leg }) => String(leg)}
    />
  );
}

function startOf({
  leg,
  after_seconds,
}: {
  readonly leg: number;
  readonly after_seconds: number | null;
}): string {
  if (leg === 1) return 'With the request';
  const ends = 'if the previous message fails or expires';
  return after_seconds === null
    ? `At once, ${ends}`
    : `${numberText(after_seconds)} s after the previous message, or at once ${ends}`;
}

function Details({ message, person, client }: ResponseOf<'showMessage'>) {
  const isInbound = message.direction === 'inbound';
  const number = <Copyable name={isInbound ? 'sender' : 'recipient'} text={person} />;
  const ours = isInbound ? message.recipient : message.from;
  return (
    <Section title="Details">
      <Facts
        columns={3}
        facts={{
          Status: <State of={message.status} />,
          ...(isInbound ? { Sender: number, Recipient: ours } : { Recipient: number, Sender: ours }),
          Channel: channelNames[message.channel],
          Client: client === null ? 'None' : <ClientLink id={client.client_id} />,
          ...(isInbound ? received(message) : sent(message)),
          ...(client === null ? {} : reachability(client, person, message.channel === 'whatsapp')),
        }}
      />
    </Section>
  );
}

type MessageProps = ResponseOf<'showMessage'>['message'];

function received({ received_at, in_reply_to }: MessageProps) {
  return {
    Received: <Time at={received_at} />,
    'In reply to': in_reply_to === undefined ? null : <IdLink page="messages" id={in_reply_to} />,
  };
}

function sent(message: MessageProps) {
  const { reference, cost } = message;
  return {
    Segments: `${message.segments ?? '–'} ${message.encoding ?? ''}`,
    Cost: cost === null ? null : `${cost} ${message.currency ?? ''}`,
    Reference: reference === null ? null : <Copyable name="reference" text={reference} />,
    Created: <Time at={message.created_at} />,
    ...(message.scheduled_at === null ? {} : { 'Scheduled for': <Time at={message.scheduled_at} /> }),
    ...(message.batch_id === null ? {} : { Batch: <BatchLink {...message} /> }),
    'Webhook URL of the request': message.webhook_url,
    Expires: <Time at={message.expires_at} />,
    "Carrier's message id":
      message.carrier_message_id === null ? null : (
        <Copyable name="the carrier's message id" text={message.carrier_message_id} />
      ),
    Error: <ErrorNote {...message} />,
  };
}

/** Links to the list of the batch's messages, which all have the same time of creation. */
function BatchLink({ batch_id, client_id, created_at }: MessageProps) {
  const query = { client_id: client_id ?? '', since: created_at, until: created_at };
  return <WrappingLink href={linkTo('messages', undefined, query)}>{batch_id ?? ''}</WrappingLink>;
}

/** Shows the error, and what the client can do about it. */
function ErrorNote({ error }: MessageProps) {
  if (error === null) return <>–</>;
  const notes: Readonly<Record<string, { readonly cause: string; readonly remedy: string } | undefined>> =
    messageErrorNotes;
  const note = Object.hasOwn(notes, error.code) ? notes[error.code] : undefined;
  return (
    <>
      <span className="id">{error.code}</span>: {error.message ?? ''}
      {note === undefined ? null : (
        <Secondary>
          {note.cause} {note.remedy}
        </Secondary>
      )}
    </>
  );
}
