/** The messages to and from one phone number, of one client or of all, with the newest at the bottom. */

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Link from '@cloudscape-design/components/link';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useRef } from 'react';
import type { ResponseOf, RowOf } from '../../../shared/admin/http/admin-operations.ts';
import { useResponse } from '../../api/queries.ts';
import { ClientLink, ClientName } from '../../components/client-name.tsx';
import { NumberSearch } from '../../components/filters.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Facts, Page, Section } from '../../components/page.tsx';
import { reachability } from '../../components/reachability.tsx';
import { isInProgress, State } from '../../components/state.tsx';
import { Copyable, MessageContent, Secondary, Time } from '../../components/text.tsx';
import { linkTo, useListState } from '../../route.ts';
import { channelNames } from '../../value-names.ts';

/** Only the list of messages shows more clients than this. */
const clientsShownMax = 8;

export function ConversationPage() {
  const { filter, cursor } = useListState();
  const clientId = filter('client_id');
  const recipient = numberIn(filter('recipient'));
  const asked = { client_id: clientId, cursor, limit: '50' };
  const query = useResponse('showConversation', { person: recipient }, asked, {
    enabled: recipient !== '',
    inProgress: ({ messages }) => messages.some(({ status }) => isInProgress(status)),
  });
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
                  <SpaceBetween size="m">
                    {conversation.clients.slice(0, clientsShownMax).map((client) => (
                      <Facts
                        key={client.client_id}
                        columns={3}
                        facts={{
                          Client: (
                            <ClientLink
                              id={client.client_id}
                              {...(clientId === '' ? { to: toConversation(client, recipient) } : {})}
                            />
                          ),
                          ...reachability(client, conversation.person, usesWhatsApp(client, conversation)),
                        }}
                      />
                    ))}
                  </SpaceBetween>
                </Container>
              )}
              <Section title="Messages">
                <Messages key={cursor ?? ''} conversation={conversation} isMixed={clientId === ''} />
              </Section>
            </SpaceBetween>
          )}
        </Loaded>
      )}
    </Page>
  );
}

/** Returns the link to the messages of one client. */
function toConversation({ client_id }: { readonly client_id: string }, recipient: string): string {
  return linkTo('conversation', undefined, { client_id, recipient });
}

/** Returns the phone number in a text. In a URL, a plus that was not encoded arrives as a space. */
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
  /** True if the conversation contains the messages of all clients. */
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
            {/* On the second page, the other button leads to the newest messages, too. */}
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
