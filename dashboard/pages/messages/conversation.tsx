/** The messages to and from one phone number, of one client or of all, with the newest at the bottom. */

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useEffect, useRef, useState } from 'react';
import type { ResponseOf, RowOf } from '../../../shared/admin/http/admin-operations.ts';
import { useAbout, useResponse } from '../../api/queries.ts';
import { ClientLink, ClientName } from '../../components/client-name.tsx';
import { Fields, NumberSearch } from '../../components/filters.tsx';
import { useForm } from '../../components/form.tsx';
import { ChoiceField, TextField } from '../../components/form-fields.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { reachability } from '../../components/reachability.tsx';
import { isInProgress, State } from '../../components/state.tsx';
import { Copyable, Secondary, Time } from '../../components/text.tsx';
import { useDashboard } from '../../dashboard-context.ts';
import { linkTo, useListState, useMode } from '../../route.ts';
import { channelNames, channelOptions } from '../../value-names.ts';
import { Correspondents } from './correspondents.tsx';
import { MessageContent } from './message-content.tsx';

/** A simulated reply takes the same path as a real one and arrives within seconds. */
const replyAwaitedMs = 20_000;

export function ConversationPage() {
  const { filter, cursor, change } = useListState();
  const clientId = filter('client_id');
  const recipient = numberIn(filter('recipient'));
  const [repliedAt, setRepliedAt] = useState(0);
  const asked = { client_id: clientId, cursor, limit: '50' };
  const query = useResponse('showConversation', { person: recipient }, asked, {
    enabled: recipient !== '',
    inProgress: ({ messages }) =>
      Date.now() - repliedAt < replyAwaitedMs || messages.some(({ status }) => isInProgress(status)),
  });
  const about = useAbout().data;
  return (
    <Page
      title="Conversation"
      description={recipient === '' ? undefined : <Copyable name="number" text={recipient} />}
      query={query}
      actions={
        recipient === '' || clientId === '' ? null : (
          <Button href={linkTo('conversation', undefined, { recipient })}>All clients</Button>
        )
      }
    >
      {recipient === '' ? (
        <NumberSearch label="Number" name="recipient" />
      ) : (
        <Loaded query={query}>
          {(conversation) => (
            <SpaceBetween size="l">
              {conversation.clients.length === 0 ? null : (
                <Container>
                  {clientId === '' ? (
                    <Correspondents {...conversation} />
                  ) : (
                    conversation.clients.map((client) => (
                      <Facts
                        key={client.client_id}
                        columns={3}
                        facts={{
                          Client: <ClientLink id={client.client_id} />,
                          ...reachability(client, conversation.person, usesWhatsApp(client, conversation)),
                        }}
                      />
                    ))
                  )}
                </Container>
              )}
              <Section title="Messages">
                <Messages key={cursor ?? ''} conversation={conversation} isMixed={clientId === ''} />
              </Section>
              {about?.outbox === true ? (
                <SimulateReply
                  conversation={conversation}
                  onSent={() => {
                    setRepliedAt(Date.now());
                    if (cursor !== undefined) change({});
                  }}
                />
              ) : null}
            </SpaceBetween>
          )}
        </Loaded>
      )}
    </Page>
  );
}

/** Returns the number in a text. A plus that was not encoded arrives as a space. */
function numberIn(text: string): string {
  return text.replace(/^ (?=\d)/, '+').trim();
}

function usesWhatsApp(
  { window_expires_at }: RowOf<'showConversation', 'clients'>,
  { messages }: ResponseOf<'showConversation'>,
): boolean {
  return window_expires_at !== null || messages.some(({ channel }) => channel === 'whatsapp');
}

function Messages({
  conversation: { messages, next_cursor },
  isMixed,
}: {
  readonly conversation: ResponseOf<'showConversation'>;
  /** True if the messages of all clients are shown. */
  readonly isMixed: boolean;
}) {
  const { page, turnTo, turnBack, change } = useListState();
  const isNewest = page === 1;
  const list = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const newest = messages[0]?.message_id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message is what moves the list
  useEffect(() => {
    if (isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [newest]);
  if (messages.length === 0 && next_cursor === undefined && isNewest) {
    return (
      <Box textAlign="center" padding="s">
        <b>No messages</b>
        <Box>
          {isMixed
            ? 'No message was exchanged with this number.'
            : 'The client has exchanged no message with this number.'}
        </Box>
      </Box>
    );
  }
  return (
    <SpaceBetween size="s">
      <section
        ref={list}
        className="conversation"
        aria-label="Messages, the newest at the bottom"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
        }}
      >
        {next_cursor === undefined ? null : (
          <Box textAlign="center" padding="xs">
            <Button onClick={() => turnTo(next_cursor)}>Earlier messages</Button>
          </Box>
        )}
        {messages.length > 0 ? null : (
          <Box textAlign="center">
            None of the messages with this number that were looked at is of this client.
          </Box>
        )}
        <ol>
          {messages.toReversed().map((message) => (
            <OneMessage key={message.message_id} message={message} isMixed={isMixed} />
          ))}
        </ol>
      </section>
      {isNewest ? null : (
        <Box textAlign="center">
          <SpaceBetween direction="horizontal" size="xs">
            <Button onClick={() => turnBack()}>Later messages</Button>
            {/* On the page before, the other button leads to these messages. */}
            {page === 2 ? null : <Button onClick={() => change({})}>Newest messages</Button>}
          </SpaceBetween>
        </Box>
      )}
    </SpaceBetween>
  );
}

const askedFor = { opt_out: 'asks to opt out', opt_in: 'asks to opt in' } as const;

function OneMessage({
  message,
  isMixed,
}: {
  readonly message: RowOf<'showConversation', 'messages'>;
  readonly isMixed: boolean;
}) {
  const { message_id, direction, channel, number, in_reply_to, asks_for, error_code } = message;
  const isInbound = direction === 'inbound';
  return (
    <li className={direction}>
      <Secondary>
        {isInbound ? 'From the person' : 'To the person'}, {channelNames[channel]}
        {number === null ? null : `, ${isInbound ? 'to' : 'from'} ${number}`}
        {in_reply_to === null ? null : (
          <>
            , in reply to{' '}
            <Link href={linkTo('messages', in_reply_to)} fontSize="body-s">
              a message
            </Link>
          </>
        )}
        {asks_for === null ? null : `, ${askedFor[asks_for]}`}
      </Secondary>
      {isMixed ? (
        <Box fontSize="body-s">
          {message.client_id === null ? 'Of no client' : <ClientName id={message.client_id} />}
        </Box>
      ) : null}
      <MessageContent text={message.text} whatsapp={message.whatsapp} />
      <Box fontSize="body-s">
        <SpaceBetween direction="horizontal" size="s">
          <Link href={linkTo('messages', message_id)} fontSize="body-s">
            <Time at={message.at} />
          </Link>
          {isInbound ? null : <State of={message.status} />}
          {error_code === null ? null : <span className="id">{error_code}</span>}
        </SpaceBetween>
      </Box>
    </li>
  );
}

/** Simulates a reply. Shown only if the carrier is the simulator. */
function SimulateReply({
  conversation: { person, messages },
  onSent,
}: {
  readonly conversation: ResponseOf<'showConversation'>;
  readonly onSent: () => void;
}) {
  const { api, notify } = useDashboard();
  const mode = useMode();
  const [newest] = messages;
  const [channel] = useState<string>(newest?.channel ?? 'sms');
  const form = useForm({
    first: {
      channel,
      text: '',
      // A recipient cannot reply to an alphanumeric sender.
      to: newest?.number?.startsWith('+') === true ? newest.number : '',
    },
    send: ({ to, ...entered }) => {
      const ours = to.trim() === '' ? {} : { to: to.trim() };
      return api.send('sendInbound', {}, { ...entered, from: person, ...ours, mode });
    },
    onSent: (_answer, change) => {
      change({ text: '' });
      notify('success', 'Reply sent. It appears here within a few seconds.');
      onSent();
    },
  });
  const text = form.field('text');
  return (
    <Section
      title="Simulate a reply"
      description="The simulated carrier reports it like a message of this person. It belongs to the client that last wrote to the person from this number."
    >
      <form onSubmit={form.submit}>
        <SpaceBetween size="m">
          <FormField
            label="Text"
            description="STOP opts the person out, START in again."
            errorText={text.error ?? form.error}
            stretch
          >
            <Textarea value={text.value} rows={2} onChange={({ detail }) => text.onChange(detail.value)} />
          </FormField>
          <Fields perRow={3}>
            <ChoiceField {...form.field('channel')} label="Channel" options={channelOptions} />
            <TextField {...form.field('to')} label="Our number" placeholder="The simulator's number" />
          </Fields>
          <Button formAction="submit" loading={form.isPending} disabled={text.value.trim() === ''}>
            Send reply
          </Button>
        </SpaceBetween>
      </form>
    </Section>
  );
}
